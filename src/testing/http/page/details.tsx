import type { Child } from 'hono/jsx';
import { readable } from '../../fake/responses.js';
import { durationText } from '../describe.js';
import { deliveryRow, type PageRow, requestRow } from '../rows.js';
import { Form } from './forms.js';
import { Facts, Time, Title } from './list.js';
import type { TabProps } from './selection.js';

/** The details of the selected row: what was sent beside what came back. */
export function Details({ fake, selection: { id } }: TabProps) {
  const request = fake.requests.find((each) => each.id === id);
  const delivery = fake.webhooks.deliveries.find((each) => each.id === id);
  if (request !== undefined) {
    const { body, headers, response, responseHeaders } = request;
    return <Detail row={requestRow(request)} sent={[body, headers]} received={[response, responseHeaders]} />;
  }
  if (delivery !== undefined) {
    const { type, payload, response = '' } = delivery;
    const repeat = <Form label="Deliver again" action={`POST /_fake/deliveries/${id}/resend`} />;
    const [sent, received] = [[{ type, payload }], [readable(response)]] as const;
    return <Detail row={deliveryRow(delivery)} sent={sent} received={received} form={repeat} />;
  }
  return <p class="note">Select a request or an event in the list.</p>;
}

/** A body, and its headers if they are known. */
type Message = readonly [body: unknown, headers?: Readonly<Record<string, string>> | undefined];

function Detail(props: { row: PageRow; sent: Message; received: Message; form?: Child }) {
  const { row, sent, received, form } = props;
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
      {form}
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
