CREATE INDEX "idempotency_expiry" ON "idempotency" USING btree ("tenant_id","expires_at");--> statement-breakpoint
CREATE INDEX "inbox_handled" ON "inbox" USING btree ("handled_at");--> statement-breakpoint
CREATE INDEX "outbox_settled" ON "outbox" USING btree ("created_at") WHERE state in ('done', 'dead');--> statement-breakpoint
CREATE INDEX "session_owner_replica" ON "session_owner" USING btree ("replica_id","tenant_id","session_id") WHERE released_at is null;