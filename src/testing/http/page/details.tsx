import type { Child } from 'hono/jsx';
import type { FakeRequest } from '../../fake/log.js';
import { readable } from '../../fake/responses.js';
import { deliveryRow, durationText, type PageRow, requestRow } from '../rows.js';
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
      <Detail row={requestRow(request)} form={<Copy label="Copy as curl" text={curlOf(request, origin)} />}>
        <Side title="Request" body={body} headers={headers} />
        <Side title="Response" body={response} headers={responseHeaders} />
      </Detail>
    );
  }
  if (delivery !== undefined) {
    const { type, payload, response = '', headers, responseHeaders } = delivery;
    const repeat = <Form label="Deliver again" action={`POST /_fake/deliveries/${id}/resend`} />;
    return (
      <Detail row={deliveryRow(delivery)} form={repeat}>
        <Side title="Request" body={{ type, payload }} headers={headers} />
        <Side title="Response" body={readable(response)} headers={responseHeaders} />
      </Detail>
    );
  }
  return <p class="note">Select a request or an event in the list.</p>;
}

/** A request as a call of curl. The token is a variable, because such commands are shared. */
function curlOf({ method, region, path, query, body, headers }: FakeRequest, origin: string): string {
  const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
  const type = headers['content-type'];
  const parts = [
    ['curl', '-X', method, quoted(origin + (region === undefined ? '' : `/${region}/v3`) + path + query)],
    headers.authorization === undefined ? [] : ['-H', '"authorization: Bearer $AGENT_PLATFORM_TOKEN"'],
    type === undefined ? [] : ['-H', quoted(`content-type: ${type}`)],
    body === undefined ? [] : ['-d', quoted(typeof body === 'string' ? body : JSON.stringify(body))],
  ];
  return parts.flat().join(' ');
}

function Detail({ row, form, children }: { row: PageRow; form: Child; children?: Child }) {
  return (
    <article>
      <h2 class="line" tabindex={-1}>
        <Title row={row} />
      </h2>
      <Facts row={row} />
      <p class="note">
        <Time at={row.at} isFull />
        {row.duration !== undefined && `, took ${durationText(row.duration)}`}
      </p>
      {form}
      <div class="sides">{children}</div>
    </article>
  );
}

type Fields = Readonly<Record<string, string>> | undefined;

function Side({ title, body = 'No body.', headers = {} }: { title: string; body: unknown; headers: Fields }) {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <section>
      <h3>{title}</h3>
      <pre>{typeof body === 'string' ? body : JSON.stringify(body, undefined, 2)}</pre>
      {lines.length > 0 && <pre class="headers">{lines.join('\n')}</pre>}
    </section>
  );
}
