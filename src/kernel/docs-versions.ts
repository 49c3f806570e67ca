// What the documentation says of versions: how to choose one, how long each is promised, and what it changes.
import type { Api } from './dialect.ts';
import { escapeHtml, htmlPage, htmlTable } from './html.ts';
import type { RouteShape } from './route.ts';
import { allVersions, defaultVersion, supportedUntil } from './version-support.ts';
import type { VersionTable } from './version.ts';

/** Versions that have a page and an OpenAPI document. */
export function describedVersions({ names, announced = [] }: VersionTable): string[] {
  return [...names, ...announced];
}

export function versionParts(api: Api): string[] {
  const { name: apiName, versions } = api.dialect;
  const rows = allVersions(versions).map((name) => [
    versions.ended?.includes(name) ? name : `<a href="/docs/${apiName}/${name}">${name}</a>`,
    stateOf(name, versions),
    versions.ended?.includes(name) ? '' : `<a href="/docs/${apiName}/${name}.json">OpenAPI</a>`,
  ]);
  const changed = describedVersions(versions).map((name) => {
    const list = changeList(name, api);
    return list === '' ? '' : `<p id="${name}">New in ${name}:</p>${list}`;
  });
  return [choiceWords(versions), htmlTable(['Version', 'State', 'Description'], rows), ...changed];
}

/** The page of one version: what to change when one moves to it. */
export function versionPage(api: Api, version: string): string {
  const { name, title, versions } = api.dialect;
  const list = changeList(version, api);
  const parts = [
    `<p><a href="/docs/${name}#versions">All versions</a> · <a href="/docs/${name}/${version}.json">OpenAPI</a></p>`,
    `<p>State: ${stateOf(version, versions)}.</p>`,
    choiceWords(versions),
    list === ''
      ? '<p>It changes nothing for callers of the version before it.</p>'
      : `<h2>Changes</h2>${list}`,
  ];
  return htmlPage(`${title}, version ${version}`, parts.join('\n'));
}

function choiceWords(versions: VersionTable): string {
  const [usual, ...others] = (versions.headers ?? []).map((header) => `<code>${header}</code>`);
  if (usual === undefined) return '';
  const also = others.length === 0 ? '' : ` (${others.join(', ')} is understood, too)`;
  return `<p>Choose a version by the header ${usual}${also}. Without it,
    version <strong>${defaultVersion(versions)}</strong> answers.</p>`;
}

function stateOf(version: string, versions: VersionTable): string {
  if (versions.ended?.includes(version)) return 'ended';
  if (versions.announced?.includes(version)) return 'announced, not released yet';
  const floor = supportedUntil(versions, version);
  return floor === undefined
    ? 'current'
    : `supported until ${new Date(floor).toISOString().slice(0, 10)} at least`;
}

function changeList(version: string, { dialect, routes }: Api): string {
  const changes = dialect.versions.changes
    .filter((change) => change.version === version)
    .map(({ title }) => escapeHtml(title).replaceAll(/`([^`]+)`/g, '<code>$1</code>'));
  const shapes = routes.map(({ shape }) => shape);
  const items = [
    // One change may be about several resources.
    ...new Set(changes),
    ...shapes.filter(({ since }) => since === version).map((shape) => `${callOf(shape)} added`),
    ...shapes.filter(({ until }) => until === version).map((shape) => `${callOf(shape)} removed`),
  ];
  return items.length === 0 ? '' : `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`;
}

function callOf({ method, path }: RouteShape): string {
  return `<code>${method} ${escapeHtml(path)}</code>`;
}
