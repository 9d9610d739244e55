/* global Idiomorph */
// The script of the page: it shows the page of the server again after each change, follows links in place, filters as one
// types, moves by keys, copies, and sends forms. Idiomorph changes what differs, so that the focus, typed text and the
// scroll position stay.

const part = (id) => document.getElementById(id);
const [connection, list, fresh, content] = ['connection', 'list', 'fresh', 'content'].map(part);
const filter = document.querySelector('[type=search]');
const current = () => list.querySelector('[aria-current]');
const showCurrent = () => current()?.scrollIntoView({ block: 'nearest' });

// Times of the server, in the reader's time zone and language.
const [brief, full] = [{}, { dateStyle: 'full' }].map(
  (styles) => new Intl.DateTimeFormat(undefined, { ...styles, timeStyle: 'medium' }),
);
function showTimes(within) {
  for (const time of within.querySelectorAll('time')) {
    const format = time.dataset.full === undefined ? brief : full;
    time.textContent = format.format(new Date(time.dateTime));
  }
}

function morph(own, next, isOther) {
  const hadFocus = own.contains(document.activeElement);
  // What was done here outlives what comes from the server: results, and the state of a button.
  const callbacks = isOther
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
let isForced = false;
function morphList(next) {
  const rows = [...next.querySelectorAll('li')];
  const waiting = rows.filter(({ id }) => part(id) === null);
  const isHeld = isRead() && !isForced;
  isForced = false;
  fresh.hidden = !isHeld || waiting.length === 0;
  fresh.textContent = waiting.length + ' new';
  if (!isHeld) return morph(list, next);
  for (const row of rows) if (part(row.id) !== null) Idiomorph.morph(part(row.id), row);
}

// Names the content that is shown: the address without the filter.
function viewOfPage() {
  const query = new URLSearchParams(location.search);
  query.delete('filter');
  return String(query);
}
let view = viewOfPage();

function show(next) {
  const query = new URLSearchParams(location.search);
  const isOther = viewOfPage() !== view;
  view = viewOfPage();
  showTimes(next);
  filter.value = query.get('filter') ?? '';
  morphList(next.getElementById('list'));
  // A form that is being filled in stays, and only the list beside it follows. The details have no such form.
  const isWhole = isOther || query.get('tab') === 'details';
  for (const id of ['tabs', isWhole ? 'content' : 'items']) {
    if (part(id) !== null) morph(part(id), next.getElementById(id), isOther);
  }
}

// One request after the other: a late answer would show an old page.
let shown = Promise.resolve();
function load() {
  shown = shown
    .then(async () => {
      const { href } = location;
      const html = await (await fetch(href)).text();
      // Another page was visited, or the filter was changed: that is loaded next.
      if (href === location.href) show(new DOMParser().parseFromString(html, 'text/html'));
    })
    .catch(() => undefined);
  return shown;
}
function visit(href) {
  history.pushState(null, '', href);
  return load();
}
// Changes come in bursts. The next load waits for the one before it, so that a slow one has no queue behind it.
let isDue = false;
function loadSoon() {
  if (isDue) return;
  isDue = true;
  const start = () => {
    isDue = false;
    load();
  };
  shown.then(() => setTimeout(start, 50));
}
function loadWholeList() {
  isForced = true;
  loadSoon();
}

showTimes(document);
showCurrent();
addEventListener('popstate', load);

// Chrome of Android before 148 has no shared workers.
const watcher =
  'SharedWorker' in self ? new SharedWorker('/_fake/watch.js').port : new Worker('/_fake/watch.js');
watcher.onmessage = ({ data: { name } }) => {
  if (name === 'open') connection.textContent = 'live';
  if (name === 'error') connection.textContent = 'The fake is not responding.';
  // Cleared rows go, even if the reader is at one of them.
  if (name === 'requests' || name === 'deliveries') loadWholeList();
  else if (name !== 'error') loadSoon();
};
const tellVisible = () => watcher.postMessage(!document.hidden);
document.addEventListener('visibilitychange', tellVisible);
addEventListener('pagehide', () => watcher.postMessage(false));
addEventListener('pageshow', tellVisible);

fresh.addEventListener('click', () => {
  list.scrollTop = 0;
  list.focus();
  loadWholeList();
});
for (const type of ['scroll', 'focusout']) {
  list.addEventListener(type, () => fresh.hidden || isRead() || loadSoon());
}
filter.addEventListener('input', () => {
  const url = new URL(location.href);
  url.searchParams.set('filter', filter.value);
  history.replaceState(null, '', url);
  list.scrollTop = 0;
  loadSoon();
});

// An arrow key changes a select at once, and a reader goes through it: it counts when it is left, or by Enter.
let isByKey = false;
function visitChoice(select) {
  if ('choice' in select.dataset && !select.selectedOptions[0].defaultSelected) visit(select.value);
}
document.addEventListener('pointerdown', () => (isByKey = false));
document.addEventListener('change', ({ target }) => isByKey || visitChoice(target));
document.addEventListener('focusout', ({ target }) => visitChoice(target));
document.addEventListener('keydown', (event) => {
  const { target, key } = event;
  isByKey = true;
  if (key === 'Enter') visitChoice(target);
  if (key === 'Escape') (current() ?? list.querySelector('a') ?? filter).focus();
  if (target.matches('input, select, textarea') || event.metaKey || event.ctrlKey || event.altKey) return;
  const rows = [...list.querySelectorAll('a')];
  rows[rows.indexOf(current()) + { j: 1, k: -1 }[key]]?.click();
  if (key !== '/') return;
  event.preventDefault();
  filter.focus();
});

document.addEventListener('click', async (event) => {
  const link = event.target.closest('a');
  if (link === null || event.metaKey || event.ctrlKey || event.shiftKey) return;
  event.preventDefault();
  const isRow = list.contains(link);
  await visit(link.href);
  if (!isRow) return;
  showCurrent();
  content.querySelector('h2')?.focus();
});

function say(output, text, isBad) {
  output.textContent = text;
  output.className = isBad ? 'bad' : '';
}
document.addEventListener('click', async ({ target }) => {
  const button = target.closest('[data-copy]');
  if (button === null) return;
  const { copy } = button.dataset;
  // A browser lets only https: and this machine copy.
  const isCopied = await navigator.clipboard?.writeText(copy).then(
    () => true,
    () => false,
  );
  say(button.nextElementSibling, isCopied ? 'Copied.' : copy);
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
