// The way to a file: each folder is a link.
import { Fragment } from 'react';
import { Link } from 'wouter';
import { CopyButton } from '../../ui/copy-button.tsx';
import { treeHref, type RepositoryPlace } from '../place.ts';
import { FILES_WORDS } from './files-words.ts';

export interface PathCrumbsProps {
  place: RepositoryPlace;
  gitRef: string;
  path: string;
}

export function PathCrumbs({ place, gitRef, path }: PathCrumbsProps) {
  const parts = path === '' ? [] : path.split('/');
  return (
    <nav className="row row--4 row--wrap way" aria-label={FILES_WORDS.way}>
      <Link href={treeHref(place, gitRef)} className="ln w5">
        {place.repo}
      </Link>
      {parts.map((part, index) => (
        <Fragment key={index}>
          <span className="muted" aria-hidden="true">
            /
          </span>
          {index === parts.length - 1 ? (
            <b aria-current="page">{part}</b>
          ) : (
            <Link href={treeHref(place, gitRef, parts.slice(0, index + 1).join('/'))} className="ln">
              {part}
            </Link>
          )}
        </Fragment>
      ))}
      {path !== '' && <CopyButton text={path} label={FILES_WORDS.copyPath} />}
    </nav>
  );
}
