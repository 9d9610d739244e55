/** The styles of the page, light and dark by `color-scheme`. */
export const styles = `
:root {
  color-scheme: light dark;
  --line: light-dark(#d0d4da, #3a4048);
  --soft: light-dark(#f4f6f8, #1c2026);
  --accent: light-dark(#0b5cad, #7db8ff);
  --bad: light-dark(#b3261e, #ff8a80);
  --good: light-dark(#1a7f37, #6fdd8b);
}
* { box-sizing: border-box; }
body {
  margin: 0;
  font: 15px / 1.45 system-ui, sans-serif;
  background: light-dark(#fff, #12151a);
  color: light-dark(#1b1f24, #e6e9ee);
}
header {
  position: sticky; top: 0;
  display: flex; flex-wrap: wrap; gap: 0.5rem 1rem; align-items: center;
  padding: 0.6rem 1rem;
  background: var(--soft);
  border-bottom: 1px solid var(--line);
}
h1 { font-size: 1.05rem; margin: 0; }
h2 { font-size: 1rem; margin: 0.8rem 0 0.5rem; }
nav { display: flex; flex-wrap: wrap; gap: 0.25rem; }
nav a, button, select, input, textarea {
  font: inherit;
  color: inherit;
  background: light-dark(#fff, #20252c);
  border: 1px solid var(--line);
  border-radius: 6px;
  padding: 0.25rem 0.6rem;
  max-width: 100%;
  text-decoration: none;
}
button { cursor: pointer; }
a[aria-current] { border-color: var(--accent); color: var(--accent); font-weight: 600; }
:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
main { max-width: 80rem; margin: 0 auto; padding: 0.8rem 1rem 3rem; }
.columns { display: grid; gap: 0 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(24rem, 100%), 1fr)); }
.columns > * { min-width: 0; }
ul { list-style: none; margin: 0; padding: 0; max-height: 32rem; overflow: auto; border: 1px solid var(--line); border-radius: 6px; }
li + li { border-top: 1px solid var(--line); }
li a { display: flex; gap: 0.6rem; padding: 0.3rem 0.6rem; color: inherit; text-decoration: none; overflow-wrap: anywhere; }
li a:hover, li a[aria-current] { background: var(--soft); }
li .note, li b { flex-shrink: 0; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 0.3rem 0.8rem; margin: 0.8rem 0 0; }
dt, .note { opacity: 0.75; font-size: 0.85rem; font-weight: normal; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
pre {
  margin: 0; padding: 0.5rem;
  overflow: auto; max-height: 22rem;
  background: var(--soft);
  border: 1px solid var(--line); border-radius: 6px;
  font-size: 0.82rem; white-space: pre-wrap; overflow-wrap: anywhere;
}
form { margin: 0.6rem 0; }
header form { margin: 0; }
fieldset {
  border: 1px solid var(--line); border-radius: 6px;
  margin: 0 0 0.5rem; min-width: 0;
  display: grid; gap: 0.5rem;
  grid-template-columns: repeat(auto-fill, minmax(min(15rem, 100%), 1fr));
}
label { display: grid; gap: 0.15rem; align-content: start; font-size: 0.85rem; }
input[type=checkbox] { justify-self: start; }
.wide { grid-column: 1 / -1; }
textarea { width: 100%; min-height: 9rem; font-family: ui-monospace, monospace; font-size: 0.85rem; }
section textarea { min-height: 22rem; }
.bad { color: var(--bad); }
.good { color: var(--good); }
`;
