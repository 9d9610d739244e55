// A webhook receiver in AWS Lambda, behind a function URL or an HTTP API of API Gateway (payload format 2.0).
// Bundle it with: npx esbuild examples/lambda/handler.ts --bundle --platform=node --format=esm --outfile=index.mjs
import { createWebhookReceiver } from 'agent-platform-sdk';

/** The fields that are used here, of `APIGatewayProxyEventV2` from @types/aws-lambda. */
export interface LambdaEvent {
  readonly requestContext: { readonly http: { readonly method: string } };
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}

// The deadline is below the function's own timeout and API Gateway's 30 seconds, so that a slow handler is
// reported to `onError`. Each instance recognises only its own duplicates; `dedupe: { store }` shares them.
const receiver = createWebhookReceiver({
  secret: process.env.AGENT_PLATFORM_WEBHOOK_SECRET,
  deadline: 25_000,
})
  .on('lead_captured', ({ payload }) => console.log(`lead: ${payload.leadEmail}`))
  .on('conversation_updated', ({ payload }) => console.log(`turns: ${payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

export async function handler({ requestContext, body, isBase64Encoded }: LambdaEvent) {
  const response = await receiver.handle({
    method: requestContext.http.method,
    body: isBase64Encoded ? Buffer.from(body ?? '', 'base64') : body,
  });
  return { statusCode: response.status, headers: response.headers, body: response.body };
}
