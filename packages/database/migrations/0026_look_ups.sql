DROP INDEX "delivery_transition_at";--> statement-breakpoint
DROP INDEX "session_log_at";--> statement-breakpoint
CREATE INDEX "attachment_of_kind" ON "attachment" USING btree ("tenant_id","session_id","kind","created_at","id");--> statement-breakpoint
CREATE INDEX "attachment_id" ON "attachment" USING btree ("id");--> statement-breakpoint
CREATE INDEX "api_key_id" ON "api_key" USING btree ("id");