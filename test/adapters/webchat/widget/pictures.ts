/** Drawn pictures for tests: a harbor at another hour for each name, so that screenshots look like something. */

const skies: Readonly<Record<string, readonly [sky: string, sun: string, sea: string]>> = {
  dawn: ['#f9c9a7', '#fff1d6', '#5d7ea6'],
  noon: ['#bfe3f5', '#fff7c9', '#2f8fb3'],
  dusk: ['#7c6aa8', '#ffb38a', '#33406e'],
  night: ['#1c2746', '#f2f0d8', '#0f1830'],
}

export function pictures(path: string): string {
  const name = /\/(\w+)\.svg$/.exec(path)?.[1] ?? 'noon'
  const [sky, sun, sea] = skies[name] ?? skies.noon!
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 300" width="480" height="300">
<rect width="480" height="300" fill="${sky}"/><circle cx="350" cy="110" r="44" fill="${sun}"/>
<rect y="180" width="480" height="120" fill="${sea}"/><path d="M120 180l30-90v90z" fill="#fff"/><path d="M156 180V100l46 80z" fill="#fff" opacity=".8"/>
<path d="M96 186h130l-18 24h-92z" fill="#6b3f2a"/><path d="M0 236q40-12 80 0t80 0 80 0 80 0 80 0 80 0v64H0z" fill="#fff" opacity=".12"/></svg>`
}
