/** The icon of a fake: the end of its port, in a colour of its own. Two fakes differ in a row of tabs. */
export function iconOf(host: string): string {
  const port = host.split(':').at(-1) ?? '';
  // Golden angle: ports beside each other get colours far from each other.
  const sum = Array.from(host, (letter) => letter.charCodeAt(0)).reduce(
    (total, code) => total * 31 + code,
    7,
  );
  const hue = Math.round(sum * 137.5) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="hsl(${hue} 60% 40%)"/>
<text x="16" y="23" font="bold" font-family="sans-serif" font-size="19" fill="#fff" text-anchor="middle">${port.slice(-2)}</text>
</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
