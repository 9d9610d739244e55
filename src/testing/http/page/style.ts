/** The styles of the page, light and dark by `color-scheme`. */
export const styles = `
:root {
  color-scheme: light dark;
  --back: light-dark(#fff, #0f1216);
  --panel: light-dark(#f5f6f8, #191d24);
  --line: light-dark(#dde1e6, #2d343e);
  --text: light-dark(#191c20, #e4e8ee);
  --dim: light-dark(#59626d, #9aa4b2);
  --accent: light-dark(#1f57c3, #8ab4ff);
  --good: light-dark(#11693a, #6cd88f);
  --bad: light-dark(#b01e17, #ff9089);
  --fault: light-dark(#855000, #f0b95e);
}
* { box-sizing: border-box; }
body { margin: 0; font: 14px / 1.5 system-ui, sans-serif; background: var(--back); color: var(--text); }
h1, h2, h3, p, ol, ul { margin: 0; padding: 0; list-style: none; font-size: inherit; }
h1, h2 { font-size: 1rem; }
h3, .note { color: var(--dim); font-weight: normal; font-size: 0.85rem; }
code, pre, textarea, .mark { font: 0.85rem / 1.5 ui-monospace, Menlo, Consolas, monospace; }
a { color: var(--accent); }
:focus-visible { outline: 2px solid var(--accent); outline-offset: -2px; }

button, select, pre, textarea {
  padding: 0.25rem 0.6rem; border: 1px solid var(--line); border-radius: 6px; background: var(--panel); color: inherit;
}
button, select, input { font: inherit; white-space: nowrap; }
button:hover { border-color: var(--dim); cursor: pointer; }
button:disabled { opacity: 0.55; cursor: progress; }
textarea { display: block; width: 100%; max-height: 24rem; margin-bottom: 0.5rem; resize: vertical; }
textarea + button { background: var(--accent); color: var(--back); }
pre.whole { user-select: all; }
pre { margin: 0.3rem 0; padding: 0.5rem 0.7rem; white-space: pre-wrap; overflow-wrap: anywhere; }

header { display: flex; align-items: center; gap: 0.6rem; padding: 0.5rem 1rem; background: var(--panel); }
header, nav, input, li { border: 0 solid var(--line); border-bottom-width: 1px; }
header output { display: none; }
h1 { white-space: nowrap; }
#connection { flex: 1; color: var(--dim); }
input { width: 100%; padding: 0.6rem 1rem; background: none; color: inherit; }
#list { height: 34vh; overflow-y: auto; border-bottom: 1px solid var(--line); }
#list > p { padding: 1rem; }
#list a {
  display: grid; grid-template-columns: 4rem 1fr auto; gap: 0.1rem 0.7rem; align-items: baseline;
  padding: 0.4rem 1rem; color: inherit; text-decoration: none;
}
#list a:hover, #list a[aria-current] { background: var(--panel); }
#list a[aria-current] { box-shadow: inset 3px 0 var(--accent); }
#list .name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
h2 .name { flex: 1; min-width: 0; overflow-wrap: anywhere; }
.headers { color: var(--dim); }
section section pre { margin: 0; }
#list .facts { grid-column: 2 / -1; }
.facts { display: flex; flex-wrap: wrap; gap: 0.1rem 0.6rem; font-size: 0.85rem; color: var(--dim); }
.facts em { flex-basis: 100%; font-style: normal; }
.facts, li { overflow-wrap: anywhere; }
.mark { padding: 0 0.35rem; border-radius: 4px; text-align: center; background: color-mix(in srgb, currentColor 12%, transparent); }
.good { color: var(--good); }
.bad, em { color: var(--bad); }
.fault { color: var(--fault); }

nav { display: flex; flex-shrink: 0; gap: 1.2rem; padding: 0 1rem; overflow-x: auto; }
nav a { padding: 0.55rem 0; color: var(--dim); text-decoration: none; text-transform: capitalize; }
nav a[aria-current] { color: var(--text); box-shadow: inset 0 -2px var(--accent); }
nav .mark { margin-left: 0.4rem; }
#content { padding: 1rem; }
article, section section { display: grid; gap: 0.7rem; align-content: start; min-width: 0; }
.sides { display: grid; gap: 1.5rem; grid-template-columns: repeat(auto-fit, minmax(min(18rem, 100%), 1fr)); }
.line { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: baseline; }
#items li { display: flex; align-items: center; justify-content: space-between; gap: 0.6rem; padding: 0.3rem 0; }

@media (min-width: 75rem) {
  body { display: grid; grid-template-rows: auto 1fr; height: 100dvh; }
  main { display: grid; grid-template-columns: minmax(28rem, 2fr) 3fr; min-height: 0; }
  main > section { display: flex; flex-direction: column; min-height: 0; }
  main > section + section { border-left: 1px solid var(--line); }
  #list { flex: 1; border: 0; }
  #content { overflow-y: auto; }
}
`;
