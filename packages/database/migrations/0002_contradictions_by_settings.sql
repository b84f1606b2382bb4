ALTER TABLE "capability_contradiction" ADD COLUMN "settings_sha256" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "wire_finding" ADD COLUMN "settings_sha256" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "capability_contradiction" DROP CONSTRAINT "capability_contradiction_pk";
--> statement-breakpoint
ALTER TABLE "capability_contradiction" ADD CONSTRAINT "capability_contradiction_pk" PRIMARY KEY("tenant_id","row_name","kind","program_version","settings_sha256");