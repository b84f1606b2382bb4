ALTER TABLE "api_key" ADD COLUMN "rotated_from" uuid;--> statement-breakpoint
ALTER TABLE "blob" ADD COLUMN "confirmed_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "emission" integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "outbox" ADD COLUMN "published_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "tenant" ADD COLUMN "suspended_at" timestamp (3) with time zone;--> statement-breakpoint
CREATE INDEX "outbox_published" ON "outbox" USING btree ("tenant_id","published_at") WHERE state = 'published';