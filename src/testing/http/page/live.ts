/**
 * The script of the page, as text: it renews the parts marked `data-live` that have changed, shows times, filters
 * as one types, moves through the list by keys, and sends forms.
 */
export const script = `
const connection = document.getElementById('connection');
const list = document.getElementById('list');
const filter = document.querySelector('[type=search]');
const current = () => list.querySelector('[aria-current]');
current()?.scrollIntoView({ block: 'nearest' });

// Times of the server, in the reader's time zone and language.
function showTimes(part) {
  for (const time of part.querySelectorAll('time')) {
    const styles = time.dataset.full === undefined ? {} : { dateStyle: 'full' };
    time.textContent = new Intl.DateTimeFormat(undefined, { ...styles, timeStyle: 'medium' }).format(
      new Date(time.dateTime),
    );
  }
}

// As rendered: what has not changed is left alone, with all that is typed or selected in it.
const rendered = new Map([...document.querySelectorAll('[data-live]')].map((part) => [part, part.innerHTML]));
showTimes(document);
async function renew(ids) {
  const { href } = location;
  const address = new URL(href);
  address.searchParams.set('parts', [...ids].join());
  const html = await (await fetch(address)).text();
  if (href !== location.href) return;
  const next = new DOMParser().parseFromString(html, 'text/html');
  for (const [part, before] of rendered) {
    const fresh = ids.has(part.id) ? next.getElementById(part.id) : null;
    if (fresh === null || before === fresh.innerHTML) continue;
    rendered.set(part, fresh.innerHTML);
    const focused = part.contains(document.activeElement) && document.activeElement.getAttribute('href');
    const below = part.scrollHeight - part.scrollTop;
    part.replaceChildren(...fresh.childNodes);
    showTimes(part);
    // New rows come above: those in view stay where they are.
    if (part.scrollTop > 0) part.scrollTop = part.scrollHeight - below;
    if (focused) part.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus();
  }
}

// The parts that have changed, by their ids. One request after the other: a late answer would show an old list.
const changed = new Set();
let waiting;
let renewing = Promise.resolve();
function renewSoon(...ids) {
  for (const id of ids) changed.add(id);
  waiting ??= setTimeout(() => {
    waiting = undefined;
    const live = [...rendered.keys()].map(({ id }) => id).filter((id) => changed.has(id));
    changed.clear();
    if (live.length > 0) renewing = renewing.then(() => renew(new Set(live))).catch(() => undefined);
  }, 50);
}
const selected = new URL(location.href).searchParams.get('id');
const renewAll = () => renewSoon('list', 'tabs', 'content', 'items');
function onChange({ data: { name, id, what } }) {
  if (name === 'open') connection.textContent = 'live';
  if (name === 'error') connection.textContent = 'The fake is not responding.';
  if (name === 'open' || what === 'requests' || what === 'deliveries') return renewAll();
  if (what !== undefined) return renewSoon('items', 'tabs');
  renewSoon('list', ...(id === selected ? ['content'] : []));
}
// Chrome of Android before 148 has no shared workers.
const watcher = 'SharedWorker' in self ? new SharedWorker('/_fake/watch.js').port : new Worker('/_fake/watch.js');
watcher.onmessage = onChange;
const tellVisible = () => watcher.postMessage(!document.hidden);
document.addEventListener('visibilitychange', tellVisible);
addEventListener('pagehide', () => watcher.postMessage(false));
addEventListener('pageshow', tellVisible);

filter.addEventListener('input', () => {
  const url = new URL(location.href);
  url.searchParams.set('filter', filter.value);
  history.replaceState(null, '', url);
  renewSoon('list', 'tabs');
});
document.addEventListener('change', ({ target }) => {
  if ('choice' in target.dataset) location.href = target.value;
});
document.addEventListener('keydown', (event) => {
  if (event.target === filter && event.key === 'Escape') filter.blur();
  if (event.target.matches('input, select, textarea') || event.metaKey || event.ctrlKey || event.altKey) return;
  const rows = [...list.querySelectorAll('a')];
  rows[rows.indexOf(current()) + { j: 1, k: -1 }[event.key]]?.click();
  if (event.key !== '/') return;
  event.preventDefault();
  filter.focus();
});

function resultOf({ deliveries }) {
  return deliveries?.map(({ status, outcome }) => status ?? outcome).join(', ') ?? 'Done.';
}
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { target: form } = event;
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  const [text, output] = [form.querySelector('textarea')?.value ?? '{}', form.querySelector('output')];
  const button = form.querySelector('button');
  output.className = '';
  output.textContent = 'Sending…';
  button.disabled = true;
  try {
    const body = JSON.parse(text, (key, value) => (key === 'createdAt' && value === 'now' ? undefined : value));
    for (const [, method, path] of form.dataset.action.matchAll(/(\\S+) (\\S+)/g)) {
      const headers = { 'content-type': 'application/json' };
      const init = method === 'DELETE' ? { method } : { method, headers, body: JSON.stringify(body) };
      const response = await fetch(path, init);
      const result = await response.json();
      if (!response.ok) throw new Error(result.message);
      output.textContent = resultOf(result);
    }
  } catch (error) {
    output.textContent = error.message;
    output.className = 'bad';
  }
  button.disabled = false;
});
`;
