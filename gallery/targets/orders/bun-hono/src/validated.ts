import { zValidator } from "@hono/zod-validator";
import type { ValidationTargets } from "hono";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import type { ZodType } from "zod";

// Validates a part of the request; what is invalid becomes an exception with this status.
export const validated = <Schema extends ZodType, Target extends keyof ValidationTargets>(
  target: Target,
  schema: Schema,
  status: ContentfulStatusCode,
) =>
  zValidator(target, schema, (result) => {
    if (!result.success) {
      const [issue] = result.error.issues;
      throw new HTTPException(status, { message: `${issue?.path.join("/")}: ${issue?.message}` });
    }
  });
