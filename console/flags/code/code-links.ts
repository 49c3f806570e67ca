// Where a line of a repository can be read: here, where the repository is on this server, else where its owner says.
import { ORIGIN } from '../../api/server.ts';
import type { CodeRepository } from './code-queries.ts';

export interface CodeLink {
  href: string;
  isExternal: boolean;
}

/** Only these are addresses of pages. */
const isWeb = (text: string) => /^https?:\/\//i.test(text);

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
  return isWeb(sourceLink) ? { href: sourceLink, isExternal: true } : undefined;
}

export function lineLink(
  repository: CodeRepository,
  branch: string,
  file: string,
  line: number,
): CodeLink | undefined {
  const encoded = file.split('/').map(encodeURIComponent).join('/');
  const own = ownRepository(repository);
  if (own !== undefined)
    return {
      href: `/code/${own}/blob/${encodeURIComponent(branch)}/${encoded}#L${line}`,
      isExternal: false,
    };
  const { hunkUrlTemplate = '' } = repository;
  if (!isWeb(hunkUrlTemplate)) return undefined;
  const href = hunkUrlTemplate
    .replaceAll('${branchName}', encodeURIComponent(branch))
    .replaceAll('${filePath}', encoded)
    .replaceAll('${lineNumber}', String(line));
  return { href, isExternal: true };
}
