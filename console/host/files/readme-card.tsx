// A README, or any text that the server renders. Its links lead to the files of the same reference.
import { useMemo } from 'react';
import { SafeHtml, type HtmlPlaces } from '../../lib/safe-html.tsx';
import { Card } from '../../ui/card.tsx';
import { formatBytes } from '../../ui/format.ts';
import { TextLink } from '../../ui/link.tsx';
import { Skeleton } from '../../ui/states.tsx';
import { blobHref, resolvePath, type RepositoryPlace } from '../place.ts';
import { rawCall, useRendered } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';

/** Larger ones are opened as files. */
const MAX_README = 512 * 1024;

export interface ReadmeCardProps {
  place: RepositoryPlace;
  gitRef: string;
  file: { name: string; path: string; size: number };
}

export function ReadmeCard({ place, gitRef, file }: ReadmeCardProps) {
  const { name, path, size } = file;
  return (
    <Card icon="docs" title={<TextLink href={blobHref(place, gitRef, path)}>{name}</TextLink>}>
      {size > MAX_README ? (
        <p className="muted">{FILES_WORDS.large(formatBytes(size))}</p>
      ) : (
        <Rendered place={place} gitRef={gitRef} path={path} />
      )}
    </Card>
  );
}

export interface RenderedProps {
  place: RepositoryPlace;
  gitRef: string;
  path: string;
}

export function Rendered({ place, gitRef, path }: RenderedProps) {
  const { owner, repo } = place;
  const { data, error } = useRendered(place, gitRef, path);
  const places = useMemo(() => placesOf({ owner, repo }, gitRef, path), [owner, repo, gitRef, path]);
  if (error !== null && data === undefined) return <p className="muted">{FILES_WORDS.notRendered}</p>;
  if (data === undefined) return <Skeleton lines={6} />;
  return <SafeHtml html={data} places={places} />;
}

function placesOf(place: RepositoryPlace, ref: string, path: string): HtmlPlaces {
  const fileOf = (relative: string) => {
    const [plain = ''] = relative.split(/[?#]/, 1);
    return resolvePath(path, decode(plain));
  };
  return {
    pageOf(relative) {
      const file = fileOf(relative);
      const hash = /#.*$/.exec(relative)?.[0] ?? '';
      return file === undefined || file === '' ? undefined : blobHref(place, ref, file) + hash;
    },
    imageOf(relative) {
      const file = fileOf(relative);
      return file === undefined || file === '' ? undefined : rawCall(place, ref, file);
    },
  };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
