// Reads a list of the Signalbox API page by page.
import type { RemoteServer } from './remote-server.ts';
import { sendForJson } from './send.ts';

/** The path has a query already. */
export async function* listPages<Item>(server: RemoteServer, path: string): AsyncGenerator<Item, void, void> {
  for (let cursor = ''; ;) {
    const page = await sendForJson<{ items: Item[]; next?: string }>(server, { path: `${path}${cursor}` });
    yield* page.items;
    if (page.next === undefined) return;
    cursor = `&cursor=${encodeURIComponent(page.next)}`;
  }
}
