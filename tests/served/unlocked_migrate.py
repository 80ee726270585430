"""Django's own `migrate`, which waits for no other: the planted fault of P31."""

import django
from django.core.management import call_command
from django.core.management.commands.migrate import Command

django.setup()
call_command(Command(), no_color=True)
