/** The icon of a fake: the end of its port, in a colour of its own. Two fakes differ in a row of tabs. */
export function iconOf(host: string): string {
  const port = host.split(':').at(-1) ?? '';
  // Golden angle: ports beside each other get colours far from each other.
  const hue = (Number(host.replace(/\D/g, '').slice(-5)) * 137.5) % 360;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">
<rect width="32" height="32" rx="7" fill="hsl(${hue} 60% 40%)"/>
<text x="16" y="23" font="bold" font-family="sans-serif" font-size="19" fill="#fff" text-anchor="middle">${port.slice(-2)}</text>
</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
