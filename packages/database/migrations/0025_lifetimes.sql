ALTER TABLE "attachment" ADD COLUMN "uploaded_by" text;--> statement-breakpoint
ALTER TABLE "participant" ADD COLUMN "token_generation" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "session" ADD COLUMN "token_generation" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "tenant" ADD COLUMN "url_generation" integer DEFAULT 1 NOT NULL;