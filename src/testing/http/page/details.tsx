import type { Child } from 'hono/jsx';
import { readable } from '../../fake/responses.js';
import { curlOfDelivery, curlOfRequest } from '../copies.js';
import { durationText } from '../describe.js';
import { deliveryRow, type PageRow, requestRow } from '../rows.js';
import { Copy, Form } from './forms.js';
import { Facts, Time, Title } from './list.js';
import type { TabProps } from './selection.js';

/** The details of the selected row: what was sent beside what came back. */
export function Details({ fake, selection: { id }, origin }: TabProps) {
  const request = fake.requests.find((each) => each.id === id);
  const delivery = fake.webhooks.deliveries.find((each) => each.id === id);
  if (request !== undefined) {
    const { body, headers, response, responseHeaders } = request;
    return (
      <Detail row={requestRow(request)} sent={[body, headers]} received={[response, responseHeaders]}>
        <Copy label="Copy as curl" text={curlOfRequest(request, origin)} />
      </Detail>
    );
  }
  if (delivery !== undefined) {
    const { type, payload, response = '', address } = delivery;
    return (
      <Detail row={deliveryRow(delivery)} sent={[{ type, payload }]} received={[readable(response)]}>
        {address !== 'receiver' && <Copy label="Copy as curl" text={curlOfDelivery(delivery)} />}
        <Form label="Deliver again" action={`POST /_fake/deliveries/${id}/resend`} />
      </Detail>
    );
  }
  return <p class="note">Select a request or an event in the list.</p>;
}

/** A body, and its headers if they are known. */
type Message = readonly [body: unknown, headers?: Readonly<Record<string, string>> | undefined];

function Detail(props: { row: PageRow; sent: Message; received: Message; children: Child }) {
  const { row, sent, received, children } = props;
  return (
    <article>
      <h2 class="line">
        <Title row={row} />
      </h2>
      <Facts row={row} />
      <p class="note">
        <Time at={row.at} isFull />
        {row.duration !== undefined && `, took ${durationText(row.duration)}`}
      </p>
      <div class="line">{children}</div>
      <div class="sides">
        <Side title="Request" message={sent} />
        <Side title="Response" message={received} />
      </div>
    </article>
  );
}

function Side({ title, message: [body = 'No body.', headers = {}] }: { title: string; message: Message }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section>
      <h3>{title}</h3>
      <pre>{typeof body === 'string' ? body : JSON.stringify(body, undefined, 2)}</pre>
      {lines.length > 0 && <pre class="headers">{lines.join('\n')}</pre>}
    </section>
  );
}
