// A webhook receiver as a Lambda function, behind a function URL or an HTTP API of API Gateway (payload format 2.0).
// Bundle it with: npx esbuild examples/webhooks-lambda/handler.ts --bundle --platform=node --format=esm --outfile=index.mjs
import { createWebhookReceiver } from 'agent-platform-sdk';

/** The fields that are needed of the event; `APIGatewayProxyEventV2` of @types/aws-lambda fits. */
export interface LambdaEvent {
  readonly rawPath: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly requestContext: { readonly domainName: string; readonly http: { readonly method: string } };
  readonly body?: string | undefined;
  readonly isBase64Encoded: boolean;
}

/** The result of which Lambda makes the response. */
export interface LambdaResult {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

// The deadline is below the time limit of the function, and below the 30 seconds after which API Gateway gives up: a handler
// that takes longer is reported here. Each instance remembers duplicates on its own; share them by `dedupe: { store }`.
const receiver = createWebhookReceiver({ secret: process.env.WORKSPACE_SECRET ?? '', deadline: 25_000 })
  .on('lead_captured', (event) => console.log(`lead: ${event.payload.leadEmail}`))
  .on('conversation_updated', (event) => console.log(`turns: ${event.payload.turns.length}`))
  .onError((error, { event, stage }) => console.error(event?.type, stage, error));

export async function handler(event: LambdaEvent): Promise<LambdaResult> {
  return toResult(await receiver.fetch(toRequest(event)));
}

function toRequest({ rawPath, headers, requestContext, body, isBase64Encoded }: LambdaEvent): Request {
  const { domainName, http } = requestContext;
  const given = Object.entries(headers).flatMap(([name, value]): [string, string][] =>
    value === undefined ? [] : [[name, value]],
  );
  return new Request(`https://${domainName}${rawPath}`, {
    method: http.method,
    headers: given,
    // A request with GET has no body, not even an empty one.
    body: body === undefined ? null : Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8'),
  });
}

async function toResult(response: Response): Promise<LambdaResult> {
  return {
    statusCode: response.status,
    headers: Object.fromEntries(response.headers),
    body: await response.text(),
  };
}
