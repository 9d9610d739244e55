import type { Child } from 'hono/jsx';
import { readable } from '../../fake/responses.js';
import { curlOfDelivery, curlOfRequest, testOfDelivery, testOfRequest } from '../copies.js';
import { durationText } from '../describe.js';
import { deliveryRow, type Row, requestRow } from '../rows.js';
import { Copy, Form } from './forms.js';
import { Facts, Title } from './list.js';
import type { TabProps } from './selection.js';

/** The details of the selected row: what was sent beside what came back. */
export function Details({ fake, selection: { id }, origin }: TabProps) {
  const request = fake.requests.find((each) => each.id === id);
  const delivery = fake.webhooks.deliveries.find((each) => each.id === id);
  if (request !== undefined) {
    const { body, headers, response } = request;
    return (
      <Detail row={requestRow(request)} sent={{ body, headers }} received={response}>
        <Copy label="Copy as curl" text={curlOfRequest(request, origin)} />
        <Copy label="Copy as test" text={testOfRequest(request, fake.state)} />
      </Detail>
    );
  }
  if (delivery !== undefined) {
    const { type, payload, response = '', address } = delivery;
    return (
      <Detail row={deliveryRow(delivery)} sent={{ type, payload }} received={readable(response)}>
        {address !== 'receiver' && <Copy label="Copy as curl" text={curlOfDelivery(delivery)} />}
        <Copy label="Copy as test" text={testOfDelivery(delivery, fake.state)} />
        <Form label="Deliver again" action={`POST /_fake/deliveries/${id}/resend`} />
      </Detail>
    );
  }
  return <p class="note">Select a request or an event in the list.</p>;
}

function Detail(props: { row: Row; sent: object; received: unknown; children: Child }) {
  const { row, sent, received, children } = props;
  const date = new Date(row.at);
  return (
    <article>
      <h2 class="line">
        <Title row={row} />
      </h2>
      <Facts row={row} />
      <time class="note" title={date.toISOString()}>
        {date.toLocaleString('en-GB', { dateStyle: 'full', timeStyle: 'medium' })}
        {row.duration !== undefined && `, took ${durationText(row.duration)}`}
      </time>
      <div class="line">{children}</div>
      <div class="sides">
        <Side title="Request" value={sent} />
        <Side title="Response" value={received ?? 'No body.'} />
      </div>
    </article>
  );
}

function Side({ title, value }: { title: string; value: unknown }) {
  return (
    <section>
      <h3>{title}</h3>
      <pre>{typeof value === 'string' ? value : JSON.stringify(value, undefined, 2)}</pre>
    </section>
  );
}
