// The browser in words, from what it calls itself. That is a text that anybody can choose, and only ever shown as such.

/** The first that fits: most browsers name others too. */
const BROWSERS: readonly [sign: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\/(\d+)/, 'Edge'],
  [/\bOPR\/(\d+)/, 'Opera'],
  [/\b(?:Firefox|FxiOS)\/(\d+)/, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|CriOS)\/(\d+)/, 'Chrome'],
  [/\bVersion\/(\d+).*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly [sign: RegExp, name: string][] = [
  [/\bAndroid\b/, 'Android'],
  [/\b(?:iPhone|iPad)\b/, 'iOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const MOST = 80;

/** `Firefox 140 on Linux`; what is not known is cut. */
export function describeAgent(agent: string): string {
  const [sign, name] = BROWSERS.find(([one]) => one.test(agent)) ?? [];
  if (sign === undefined) return agent.length > MOST ? `${agent.slice(0, MOST)}…` : agent;
  const version = sign.exec(agent)?.[1];
  const [, system] = SYSTEMS.find(([one]) => one.test(agent)) ?? [];
  return [`${name} ${version}`, system].filter((part) => part !== undefined).join(' on ');
}
