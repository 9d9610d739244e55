// Translates between Lambda's HTTP events and the receiver's `handle`.
import type { WebhookReceiver } from 'agent-platform-sdk';

interface Parts {
  readonly headers?: Readonly<Record<string, string | undefined>> | null | undefined;
  readonly body?: string | null | undefined;
  readonly isBase64Encoded: boolean;
}

/** The fields that are used here, of `APIGatewayProxyEventV2` and `APIGatewayProxyEvent` of @types/aws-lambda. */
export type HttpEvent =
  // Payload format 2.0: an HTTP API of API Gateway, or a function URL.
  | (Parts & { readonly requestContext: { readonly http: { readonly method: string } } })
  // Payload format 1.0: a REST API of API Gateway, or a load balancer.
  | (Parts & { readonly httpMethod: string });

/** Passes an event to the receiver, and returns the response as Lambda wants it. */
export async function handleEvent(receiver: WebhookReceiver, event: HttpEvent) {
  const { status, headers, body } = await receiver.handle({
    method: 'httpMethod' in event ? event.httpMethod : event.requestContext.http.method,
    headers: event.headers,
    body: event.isBase64Encoded ? Buffer.from(event.body ?? '', 'base64') : event.body,
  });
  return { statusCode: status, headers, body };
}
