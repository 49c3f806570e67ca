// What the documentation says of all versions: how to choose one, how long each is promised, and where its changes are.
import type { Api } from '../http/protocol.ts';
import { htmlTable } from '../http/pages/html.ts';
import type { DocsContent } from './docs-frame.ts';
import { changeGroupsOf, versionPath } from '../versions/version-effects.ts';
import { allVersions, defaultVersion, supportedUntil, type VersionTable } from '../versions/version.ts';

/** Versions that have a page and an OpenAPI document. */
export function describedVersions({ names, announced = [] }: VersionTable): string[] {
  return [...names, ...announced];
}

export function versionParts({ protocol, routes }: Api): string[] {
  const { name: apiName, versions } = protocol;
  const rows = allVersions(versions).map((name) => {
    if (versions.ended?.includes(name)) return [name, stateOf(name, versions), '', ''];
    const marks = routes.filter(({ shape: { since, until } }) => since === name || until === name);
    const count = changeGroupsOf(name, versions).length + marks.length;
    return [
      `<a id="${name}" href="${versionPath(apiName, name)}">${name}</a>`,
      stateOf(name, versions),
      count === 0 ? 'none' : String(count),
      `<a href="/docs/${apiName}/${name}.json">OpenAPI</a>`,
    ];
  });
  return [choiceWords(versions), htmlTable(['Version', 'State', 'Changes', 'Description'], rows)];
}

export function versionIndexPage(api: Api): DocsContent {
  return { title: `${api.protocol.title}, versions`, body: versionParts(api).join('\n') };
}

export function choiceWords(versions: VersionTable): string {
  const [usual, ...others] = (versions.headers ?? []).map((header) => `<code>${header}</code>`);
  if (usual === undefined) return '';
  const also = others.length === 0 ? '' : ` (${others.join(', ')} is understood, too)`;
  return `<p>Choose a version by the header ${usual}${also}. Without it,
    version <strong>${defaultVersion(versions)}</strong> answers.</p>`;
}

export function stateOf(version: string, versions: VersionTable): string {
  if (versions.ended?.includes(version)) return 'ended';
  if (versions.announced?.includes(version)) return 'announced, not released yet';
  const floor = supportedUntil(versions, version);
  return floor === undefined
    ? 'current'
    : `supported until ${new Date(floor).toISOString().slice(0, 10)} at least`;
}
