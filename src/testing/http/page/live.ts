/**
 * The script of the page, as text: it posts forms as JSON, and renews the parts marked `data-live` after each
 * change. A field is sent if it is not empty; a name with a dot is a field of an object.
 */
export const script = `
const connection = document.getElementById('connection');
let renewal;
function renew() {
  renewal ??= setTimeout(async () => {
    renewal = undefined;
    const html = await (await fetch(location.href)).text();
    const next = new DOMParser().parseFromString(html, 'text/html');
    for (const part of document.querySelectorAll('[data-live]')) {
      const fresh = next.getElementById(part.id);
      if (fresh === null || fresh.innerHTML === part.innerHTML) continue;
      const href = part.contains(document.activeElement) && document.activeElement.getAttribute('href');
      part.replaceChildren(...fresh.childNodes);
      if (href) part.querySelector('a[href="' + CSS.escape(href) + '"]')?.focus();
    }
  }, 50);
}
function readField({ value, checked, dataset, name }) {
  if (dataset.type === 'checkbox') return checked || undefined;
  if (value === '') return undefined;
  if (dataset.type === 'text') return value;
  try {
    return JSON.parse(value);
  } catch {
    if (dataset.type === 'number') return value;
    throw new Error(name + ' is invalid JSON.');
  }
}
function readForm(form) {
  const body = JSON.parse(form.dataset.fixed ?? '{}');
  for (const field of form.querySelectorAll('[data-type]')) {
    const value = readField(field);
    const [first, second] = field.name.split('.');
    if (value === undefined) continue;
    if (first === 'body') Object.assign(body, value);
    else if (second === undefined) body[first] = value;
    else body[first] = { ...body[first], [second]: value };
  }
  return body;
}
document.addEventListener('submit', async (event) => {
  const form = event.target;
  const { action, confirm: question } = form.dataset;
  const [method, path] = action.split(' ');
  event.preventDefault();
  if (question && !confirm(question)) return;
  const output = form.querySelector('output');
  try {
    const headers = { 'content-type': 'application/json' };
    const init = method === 'DELETE' ? { method } : { method, headers, body: JSON.stringify(readForm(form)) };
    const response = await fetch(path, init);
    const body = await response.json();
    if (!response.ok) throw new Error(body.message);
    output.textContent = body.deliveries?.length === 0 ? 'No subscribers.' : 'Done.';
    output.className = '';
    renew();
  } catch (error) {
    output.textContent = error.message;
    output.className = 'bad';
  }
});
const changes = new EventSource('/_fake/changes');
for (const name of ['open', 'request', 'delivery', 'changed']) changes.addEventListener(name, renew);
changes.addEventListener('open', () => (connection.textContent = ''));
changes.addEventListener('error', () => (connection.textContent = 'The fake is not responding.'));
`;
