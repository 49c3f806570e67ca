// The pages that were opened last in this browser, for the palette.

export interface RecentPage {
  /** Below the console. */
  href: string;
  title: string;
}

const KEY = 'signalbox_recent';
const MAX = 8;

export function readRecentPages(): RecentPage[] {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? '[]') as RecentPage[];
  } catch {
    return [];
  }
}

export function rememberPage(page: RecentPage): void {
  const others = readRecentPages().filter(({ href }) => href !== page.href);
  try {
    localStorage.setItem(KEY, JSON.stringify([page, ...others].slice(0, MAX)));
  } catch {
    // Without storage there is nothing recent.
  }
}
