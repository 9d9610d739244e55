/* global Idiomorph */
// The script of the page: it follows links in place, keeps the parts of the page up to date, shows times, filters as one
// types, moves by keys, copies, and sends forms. Idiomorph changes what differs, so that the focus, typed text and the
// scroll position stay.

const part = (id) => document.getElementById(id);
const [connection, list, fresh, content] = ['connection', 'list', 'fresh', 'content'].map(part);
const filter = document.querySelector('[type=search]');
const current = () => list.querySelector('[aria-current]');
current()?.scrollIntoView({ block: 'nearest' });

// Times of the server, in the reader's time zone and language.
function showTimes(within) {
  for (const time of within.querySelectorAll('time')) {
    const styles = time.dataset.full === undefined ? {} : { dateStyle: 'full' };
    time.textContent = new Intl.DateTimeFormat(undefined, { ...styles, timeStyle: 'medium' }).format(
      new Date(time.dateTime),
    );
  }
}
showTimes(document);

function morph(own, next, isVisit) {
  const hadFocus = own.contains(document.activeElement);
  // What was done here outlives what comes from the server: results, and the state of a button.
  const callbacks = isVisit
    ? {}
    : {
        beforeNodeMorphed: (node) => node.nodeName !== 'OUTPUT',
        beforeAttributeUpdated: (name) => name !== 'aria-busy',
      };
  // Of any other element, the option keeps its children too (idiomorph 0.8.0, src/idiomorph.js, `morphNode`).
  const ignoreActiveValue = document.activeElement.matches('input, textarea, select');
  Idiomorph.morph(own, [...next.childNodes], { morphStyle: 'innerHTML', ignoreActiveValue, callbacks });
  if (hadFocus && !own.contains(document.activeElement)) own.focus();
}

// While one reads further down, or has the focus in the list, new rows wait: those that are there stay where they are.
const isRead = () => list.scrollTop > 0 || list.matches(':focus-within:not(:focus)');
function renewList(next, isForced) {
  const rows = [...next.querySelectorAll('li')];
  const waiting = rows.filter(({ id }) => part(id) === null);
  fresh.hidden = isForced || !isRead() || waiting.length === 0;
  fresh.textContent = waiting.length + ' new';
  if (isForced || !isRead()) return morph(list, next);
  for (const row of rows) if (part(row.id) !== null) Idiomorph.morph(part(row.id), row);
}

// One request after the other: a late answer would show an old list.
let last = Promise.resolve();
function load(href, ids, use) {
  last = last
    .then(async () => {
      // Of the page as it is then, unless another is visited.
      const at = href ?? location.href;
      const address = new URL(at);
      if (ids !== undefined) address.searchParams.set('parts', ids.join());
      const html = await (await fetch(address)).text();
      const next = new DOMParser().parseFromString(html, 'text/html');
      showTimes(next);
      use(next, at);
    })
    .catch(() => undefined);
  return last;
}
function visit(href, isBack) {
  return load(href, undefined, (next) => {
    if (!isBack) history.pushState(null, '', href);
    renewList(next.getElementById('list'));
    for (const id of ['tabs', 'content']) morph(part(id), next.getElementById(id), true);
    if (isBack) filter.value = new URL(href).searchParams.get('filter') ?? '';
  });
}
addEventListener('popstate', () => visit(location.href, true));

// The parts that have changed, by their ids.
const changed = new Set();
let timer;
let isForced = false;
const query = (name) => new URL(location.href).searchParams.get(name);
function renewSoon(...ids) {
  for (const id of ids) changed.add(id);
  timer ??= setTimeout(() => {
    timer = undefined;
    // Only the details follow changes: elsewhere, content is being written.
    const isThere = (id) =>
      changed.has(id) && (id === 'content' ? query('tab') === 'details' : part(id) !== null);
    const live = ['list', 'tabs', 'content', 'items'].filter(isThere);
    changed.clear();
    if (live.length === 0) return;
    load(undefined, live, (next, href) => {
      // The filter has changed since.
      if (href !== location.href) return renewSoon(...live);
      for (const id of live) {
        if (id === 'list') renewList(next.getElementById(id), isForced);
        else morph(part(id), next.getElementById(id));
      }
      isForced = false;
    });
  }, 50);
}
const renewAll = () => renewSoon('list', 'tabs', 'content', 'items');
function renewWhole() {
  isForced = true;
  renewAll();
}
function onChange({ data: { name, id, what } }) {
  if (name === 'open') connection.textContent = 'live';
  if (name === 'error') connection.textContent = 'The fake is not responding.';
  if (name === 'open') return renewAll();
  if (what === 'requests' || what === 'deliveries') return renewWhole();
  if (what !== undefined) return renewSoon('items', 'tabs');
  renewSoon('list', ...(id === query('id') ? ['content'] : []));
}
// Chrome of Android before 148 has no shared workers.
const watcher =
  'SharedWorker' in self ? new SharedWorker('/_fake/watch.js').port : new Worker('/_fake/watch.js');
watcher.onmessage = onChange;
const tellVisible = () => watcher.postMessage(!document.hidden);
document.addEventListener('visibilitychange', tellVisible);
addEventListener('pagehide', () => watcher.postMessage(false));
addEventListener('pageshow', tellVisible);

fresh.addEventListener('click', () => {
  list.scrollTop = 0;
  list.focus();
  renewWhole();
});
for (const type of ['scroll', 'focusout']) {
  list.addEventListener(type, () => fresh.hidden || isRead() || renewSoon('list'));
}
filter.addEventListener('input', () => {
  const url = new URL(location.href);
  url.searchParams.set('filter', filter.value);
  history.replaceState(null, '', url);
  list.scrollTop = 0;
  renewSoon('list', 'tabs');
});

// An arrow key changes a select at once, and a reader goes through it: it counts when it is left, or by Enter.
let isByKey = false;
const isChoice = (target) => 'choice' in target.dataset && !target.selectedOptions[0].defaultSelected;
document.addEventListener('pointerdown', () => (isByKey = false));
for (const type of ['change', 'focusout']) {
  document.addEventListener(type, ({ target }) => {
    if (isChoice(target) && (type === 'focusout' || !isByKey))
      visit(new URL(target.value, location.href).href);
  });
}
document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  isByKey = true;
  if (key === 'Enter' && isChoice(target)) visit(new URL(target.value, location.href).href);
  if (key === 'Escape') (current() ?? list.querySelector('a') ?? filter).focus();
  if (target.matches('input, select, textarea') || event.metaKey || event.ctrlKey || event.altKey) return;
  const rows = [...list.querySelectorAll('a')];
  rows[rows.indexOf(current()) + { j: 1, k: -1 }[key]]?.click();
  if (key !== '/') return;
  event.preventDefault();
  filter.focus();
});

function say(output, text, isBad) {
  output.textContent = text;
  output.className = isBad ? 'bad' : '';
}
document.addEventListener('click', async (event) => {
  const { target } = event;
  const [link, copier] = [target.closest('a'), target.closest('[data-copy]')];
  if (link !== null && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
    event.preventDefault();
    const isRow = list.contains(link);
    await visit(link.href);
    if (!isRow) return;
    current()?.scrollIntoView({ block: 'nearest' });
    content.querySelector('h2')?.focus();
  }
  if (copier === null) return;
  const output = copier.nextElementSibling;
  try {
    await navigator.clipboard.writeText(copier.dataset.copy);
    say(output, 'Copied.');
  } catch {
    // A browser lets only https: and this machine copy.
    say(output, copier.dataset.copy);
  }
});

// What is wrong about a delivery: a forged one must be refused.
const isWrong = ({ outcome, status, secretOf }) =>
  secretOf === undefined ? status !== 401 : outcome !== 'success';
document.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { target: form, submitter: button } = event;
  if (button.hasAttribute('aria-busy')) return;
  if (form.dataset.confirm && !confirm(form.dataset.confirm)) return;
  const [text, output] = [form.querySelector('textarea')?.value ?? '{}', form.querySelector('output')];
  say(output, 'Sending…');
  // Not disabled: the focus would fall to the body.
  button.setAttribute('aria-busy', 'true');
  try {
    const body = JSON.parse(text, (key, value) =>
      key === 'createdAt' && value === 'now' ? undefined : value,
    );
    for (const [, method, path] of form.dataset.action.matchAll(/(\S+) (\S+)/g)) {
      const headers = { 'content-type': 'application/json' };
      const init = method === 'DELETE' ? { method } : { method, headers, body: JSON.stringify(body) };
      const response = await fetch(path, init);
      const { message, delivery, deliveries = delivery && [delivery] } = await response.json();
      if (!response.ok) throw new Error(message);
      const results = deliveries?.map(({ status, outcome }) => status ?? outcome).join(', ');
      say(output, results ?? 'Done.', deliveries?.some(isWrong));
    }
  } catch (error) {
    say(output, error.message, true);
  }
  button.removeAttribute('aria-busy');
});
