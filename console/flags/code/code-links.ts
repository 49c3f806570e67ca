// Where a line of a repository can be read: here, where the repository is on this server, else where its owner says.
import { ORIGIN } from '../../api/server.ts';
import type { CodeRepository } from './code-queries.ts';
import { encodePath, isWebAddress, lineLinkFrom, type CodePlace } from './code-template.ts';

export interface CodeLink {
  href: string;
  isExternal: boolean;
}

/** `owner/name` of a repository on this server. */
function ownRepository({ sourceLink = '' }: CodeRepository): string | undefined {
  if (!sourceLink.startsWith(`${ORIGIN}/`)) return undefined;
  const [owner, name] = sourceLink
    .slice(ORIGIN.length + 1)
    .replace(/\.git$/, '')
    .split('/');
  return owner && name ? `${encodeURIComponent(owner)}/${encodeURIComponent(name)}` : undefined;
}

export function repositoryLink(repository: CodeRepository): CodeLink | undefined {
  const own = ownRepository(repository);
  if (own !== undefined) return { href: `/code/${own}`, isExternal: false };
  const { sourceLink = '' } = repository;
  return isWebAddress(sourceLink) ? { href: sourceLink, isExternal: true } : undefined;
}

export function lineLink(repository: CodeRepository, place: CodePlace): CodeLink | undefined {
  const own = ownRepository(repository);
  const { branch, file, line } = place;
  if (own !== undefined)
    return {
      href: `/code/${own}/blob/${encodeURIComponent(branch)}/${encodePath(file)}#L${line}`,
      isExternal: false,
    };
  const href = lineLinkFrom(repository.hunkUrlTemplate ?? '', place);
  return href === undefined ? undefined : { href, isExternal: true };
}
