// What the search finds of the documentation: operations of all APIs, and guides with their sections.
import { describedPath } from '../../kernel/http/path-template.ts';
import type { Api } from '../../kernel/http/protocol.ts';
import { operationPath } from '../../kernel/openapi/reference/resources.ts';
import { readGuides } from '../guides/guide-files.ts';
import { GUIDES_PATH } from '../guides/guide.ts';
import type { FoundItem } from './model.ts';

export interface DocsRecord {
  item: FoundItem;
  /** What it is found by, the best first: its names, what it belongs to, what it says. */
  texts: readonly [names: readonly string[], place: string, body: string];
}

export function operationRecords(documented: Api): DocsRecord[] {
  const { protocol, routes, tags } = documented;
  const { name: api, title, prefixes } = protocol;
  return routes.map(({ shape }) => {
    const { id, method, path, summary } = shape;
    const call = `${method} ${prefixes[0]}${describedPath(path)}`;
    return {
      item: {
        kind: 'operation',
        id: `${api}/${id}`,
        title: summary,
        detail: `${call} · ${title}`,
        path: operationPath(documented, id) ?? `/docs/${api}#${encodeURIComponent(id)}`,
      },
      texts: [[summary, id], `${call} ${tags?.get(id)?.name ?? ''}`, ''],
    };
  });
}

/** One for each guide, and one for each of its sections. */
export async function guideRecords(): Promise<DocsRecord[]> {
  return [...(await readGuides()).values()].flatMap(({ name, title, intro, sections }): DocsRecord[] => [
    {
      item: { kind: 'guide', id: name, title, detail: 'Guide', path: `${GUIDES_PATH}/${name}` },
      texts: [[title], name, intro],
    },
    ...sections.map((section): DocsRecord => ({
      item: {
        kind: 'guide',
        id: `${name}/${section.anchor}`,
        title: section.title,
        detail: `Guide: ${title}`,
        path: `${GUIDES_PATH}/${name}#${encodeURIComponent(section.anchor)}`,
      },
      texts: [[section.title], title, section.text],
    })),
  ]);
}
