DROP INDEX "audit_log_at";--> statement-breakpoint
CREATE INDEX "blob_key" ON "blob" USING btree ("tenant_id","key");--> statement-breakpoint
CREATE INDEX "blob_unmeasured" ON "blob" USING btree ("tenant_id","id") WHERE sha256 is null and state = 'condemned' and size_bytes is null;--> statement-breakpoint
CREATE INDEX "dead_letter_list" ON "dead_letter" USING btree ("created_at","tenant_id","id","consumer");--> statement-breakpoint
CREATE INDEX "dead_letter_unreplayed" ON "dead_letter" USING btree ("created_at","tenant_id","id","consumer") WHERE replayed_at is null;--> statement-breakpoint
CREATE INDEX "api_key_list" ON "api_key" USING btree ("tenant_id","created_at","id");--> statement-breakpoint
CREATE INDEX "api_key_successor" ON "api_key" USING btree ("tenant_id","rotated_from") WHERE rotated_from is not null;--> statement-breakpoint
CREATE INDEX "audit_log_list" ON "audit_log" USING btree ("tenant_id","at","id");--> statement-breakpoint
CREATE INDEX "audit_log_action" ON "audit_log" USING btree ("tenant_id","action","at","id");--> statement-breakpoint
CREATE INDEX "model_use_of_session" ON "model_use" USING btree ("tenant_id","session_id","day");