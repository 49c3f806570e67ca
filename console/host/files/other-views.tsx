// What is in a repository beside files and folders: links, submodules, and nothing at all.
import { useEffect, useRef } from 'react';
import { ButtonLink } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { TextLink } from '../../ui/link.tsx';
import { EmptyState } from '../../ui/states.tsx';
import { blobHref, resolvePath, treeHref, type RepositoryPlace } from '../place.ts';
import { shortSha, type Repository } from '../repository.ts';
import { PushCommands } from './clone.tsx';
import type { Submodule, Symlink } from './content.ts';
import { useIsFilled } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';

interface Place {
  place: RepositoryPlace;
  gitRef: string;
}

/** A target outside of the repository is text. */
export function SymlinkView({ place, gitRef, link }: Place & { link: Symlink }) {
  const target = resolvePath(link.path, link.target);
  return (
    <p className="card card__b row row--wrap t13">
      <Icon name="link" className="muted" />
      {FILES_WORDS.symlink}{' '}
      {target === undefined || link.target.startsWith('/') ? (
        <code className="key">{link.target}</code>
      ) : (
        <TextLink isMono href={blobHref(place, gitRef, target)}>
          {link.target}
        </TextLink>
      )}
    </p>
  );
}

export function SubmoduleView({ submodule }: { submodule: Submodule }) {
  const { sha, submodule_git_url: url } = submodule;
  return (
    <p className="card card__b row row--wrap t13">
      <Icon name="code" className="muted" />
      {FILES_WORDS.submoduleText} <code className="key">{shortSha(sha)}</code>
      {url !== '' && (
        <>
          {FILES_WORDS.submoduleFrom}{' '}
          {/^https?:\/\//i.test(url) ? (
            <TextLink isExternal href={url}>
              {url}
            </TextLink>
          ) : (
            <code className="key">{url}</code>
          )}
        </>
      )}
    </p>
  );
}

export function MissingView({ place, gitRef, path }: Place & { path: string }) {
  return (
    <EmptyState
      icon="search"
      title={FILES_WORDS.missing}
      text={FILES_WORDS.missingText(path, gitRef)}
      action={<ButtonLink href={treeHref(place, gitRef)}>{FILES_WORDS.toTop}</ButtonLink>}
    />
  );
}

interface EmptyRepositoryProps {
  place: RepositoryPlace;
  repository: Repository;
  /** Something was pushed. */
  onFilled: () => void;
}

export function EmptyRepository({ place, repository, onFilled }: EmptyRepositoryProps) {
  const isFilled = useIsFilled(place);
  const filled = useRef(onFilled);
  useEffect(() => {
    filled.current = onFilled;
  });
  useEffect(() => {
    if (isFilled) filled.current();
  }, [isFilled]);
  return (
    <div className="stack stack--16">
      <EmptyState icon="code" title={FILES_WORDS.empty.title} text={FILES_WORDS.empty.text} />
      <PushCommands repository={repository} />
    </div>
  );
}
