import { ask, type Json, text } from './control-client.js';
import { Action, More, newest, Value } from './parts.js';

/** Requests as they come, the last one first. */
export function Requests({ requests, region }: { requests: readonly Json[]; region: string }) {
  const shown = requests.filter((request) => request.region === region);
  return (
    <section aria-label="Requests">
      <h2>Requests ({shown.length})</h2>
      <Action label="Forget requests" act={() => ask('DELETE', '/_fake/requests')} />
      {shown.length === 0 && <p class="note">None yet: call the address that Settings shows.</p>}
      {newest(shown).map((request) => (
        <details key={String(request.id)}>
          <summary>
            <Status status={request.status} /> {String(request.method)} {String(request.path)}
            {String(request.query)} <span class="note">{text(request.endpoint ?? 'unknown route')}</span>
            {request.fault !== undefined && <strong class="bad"> fault: {text(request.fault)}</strong>}
          </summary>
          <Value name="body" value={request.body} />
          <Value name="answer" value={request.answer} />
          <Value name="headers" value={request.headers} />
          <p class="note">
            {new Date(Number(request.at)).toLocaleTimeString()}, {text(request.duration ?? '…')} ms
          </p>
        </details>
      ))}
      <More of={shown.length} at={`/_fake/requests?region=${region}`} />
    </section>
  );
}

export function Status({ status }: { status: unknown }) {
  const isGood = typeof status === 'number' && status < 400;
  return <strong class={isGood ? 'good' : 'bad'}>{text(status ?? 'no answer')}</strong>;
}
