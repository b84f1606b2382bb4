CREATE INDEX "access_grant_of_attachment" ON "access_grant" USING btree ("tenant_id","attachment_id");--> statement-breakpoint
CREATE INDEX "projection_job_of_session" ON "projection_job" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "message_of_session" ON "message" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "agent_of_session" ON "agent" USING btree ("tenant_id","session_id");--> statement-breakpoint
CREATE INDEX "participant_of_user" ON "participant" USING btree ("tenant_id","user_id");