-- Which release of the functions this database has: their text is no migration, but applied after each (src/migrate/apply-functions.ts).
CREATE TABLE drizzle.__attache_functions (
	"number" integer NOT NULL,
	"checksum" text NOT NULL,
	"applied_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
