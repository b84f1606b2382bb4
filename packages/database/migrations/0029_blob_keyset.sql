DROP INDEX "blob_collectable";--> statement-breakpoint
CREATE INDEX "blob_live" ON "blob" USING btree ("tenant_id","id") WHERE state = 'live';--> statement-breakpoint
CREATE INDEX "blob_collectable" ON "blob" USING btree ("tenant_id","state","id") WHERE state in ('reserved', 'condemned');