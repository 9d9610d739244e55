/**
 * The script of the page, as text: it renews the parts marked `data-live` after each change, filters as one
 * types, moves through the list by keys, copies, and sends forms.
 */
export const script = `
const connection = document.getElementById('connection');
const list = document.getElementById('list');
const filter = document.querySelector('[type=search]');
const current = () => list.querySelector('[aria-current]');
current()?.scrollIntoView({ block: 'nearest' });

// As rendered: what has not changed is left alone, with all that is typed or selected in it.
const rendered = new Map([...document.querySelectorAll('[data-live]')].map((part) => [part, part.innerHTML]));
async function renew() {
  const { href } = location;
  const html = await (await fetch(href)).text();
  if (href !== location.href) return;
  const next = new DOMParser().parseFromString(html, 'text/html');
  for (const [part, before] of rendered) {
    const fresh = next.getElementById(part.id);
    if (fresh === null || before === fresh.innerHTML) continue;
    rendered.set(part, fresh.innerHTML);
    const focused = part.contains(document.activeElement) && document.activeElement.getAttribute('href');
    const below = part.scrollHeight - part.scrollTop;
    part.replaceChildren(...fresh.childNodes);
    // New rows come above: those in view stay where they are.
    if (part.scrollTop > 0) part.scrollTop = part.scrollHeight - below;
    if (focused) part.querySelector('a[href="' + CSS.escape(focused) + '"]')?.focus();
  }
}

let waiting;
function renewSoon() {
  waiting ??= setTimeout(() => {
    waiting = undefined;
    renew().catch(() => undefined);
  }, 50);
}
const changes = new EventSource('/_fake/changes');
for (const name of ['open', 'request', 'delivery', 'changed']) changes.addEventListener(name, renewSoon);
changes.addEventListener('open', () => (connection.textContent = 'live'));
changes.addEventListener('error', () => (connection.textContent = 'The fake is not responding.'));

filter.addEventListener('input', () => {
  const url = new URL(location.href);
  url.searchParams.set('filter', filter.value);
  history.replaceState(null, '', url);
  renewSoon();
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
document.addEventListener('click', ({ target }) => {
  if (!('copy' in target.dataset)) return;
  // Not the clipboard API: it is for secure contexts only, and http://platform:4010 is none.
  const area = document.body.appendChild(document.createElement('textarea'));
  area.value = target.dataset.copy;
  area.select();
  document.execCommand('copy');
  area.remove();
  target.classList.add('done');
  setTimeout(() => target.classList.remove('done'), 1500);
});

function resultOf({ deliveries }) {
  if (deliveries?.length === 0) return 'Nobody is subscribed to it.';
  return deliveries?.map(({ status, outcome }) => status ?? outcome).join(', ') ?? 'Done.';
}
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { target: form } = event;
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  const [text, output] = [form.querySelector('textarea')?.value ?? '{}', form.querySelector('output')];
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
    output.className = '';
  } catch (error) {
    output.textContent = error.message;
    output.className = 'bad';
  }
});
`;
