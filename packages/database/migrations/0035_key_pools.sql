ALTER TABLE "blob" ADD COLUMN "pooled" boolean DEFAULT false NOT NULL;--> statement-breakpoint
CREATE INDEX "blob_pooled" ON "blob" USING btree ("tenant_id") WHERE state = 'reserved' and pooled;