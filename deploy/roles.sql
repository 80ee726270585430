-- The two roles of the database, and the database: run once by the superuser of PostgreSQL, who
-- finds both passwords in the folder SECRETS:
--   SECRETS=/etc/workbench/secrets psql -v ON_ERROR_STOP=1 -f deploy/roles.sql postgres
\set owner_password `cat "$SECRETS/owner_password"`
\set serving_password `cat "$SECRETS/serving_password"`
-- Owns the tables: migrates, restores, and writes tables anew where something was erased.
CREATE ROLE workbench_owner LOGIN PASSWORD :'owner_password';
-- Serves: reads and writes rows, adds to the audit trail, and can change no table.
CREATE ROLE workbench_serving LOGIN PASSWORD :'serving_password';
-- Erasing waits for whoever still reads, and sees the sessions of its own roles only.
GRANT workbench_serving TO workbench_owner;
CREATE DATABASE workbench OWNER workbench_owner ENCODING 'UTF8' LOCALE 'C.UTF-8' TEMPLATE template0;
REVOKE ALL ON DATABASE workbench FROM PUBLIC;
GRANT CONNECT ON DATABASE workbench TO workbench_serving;
