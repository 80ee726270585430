"""Which of two candidates is better, per criterion."""
