// A file: its text with numbers, rendered where the server does that, an image as an image. What is large or no text is not shown unasked.
import { useCallback, useMemo, useState } from 'react';
import { ReadProblem } from '../../lib/read-problem.tsx';
import { useSearchState } from '../../lib/search-state.ts';
import { SignedImage } from '../../lib/signed-image.tsx';
import { download, openInTab } from '../../lib/signed-link.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatBytes, formatCount } from '../../ui/format.ts';
import { useKeys } from '../../ui/keys.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { isImage } from '../diff/diff-file.ts';
import { blobHref, type RepositoryPlace } from '../place.ts';
import { BlameMargin } from './blame-margin.tsx';
import { CodeView } from './code-view.tsx';
import { decodeBase64, isMarkdown, linesOf, textOf, type FileContent } from './content.ts';
import { rawCall, useBytes, useLastCommit } from './files-queries.ts';
import { FILES_WORDS } from './files-words.ts';
import { LastCommit } from './folder-view.tsx';
import { GoToLine } from './go-to-line.tsx';
import { Rendered } from './readme-card.tsx';

/** Larger ones are for editors. */
const MAX_SHOWN = 20 * 1024 ** 2;

export interface FileViewProps {
  place: RepositoryPlace;
  gitRef: string;
  file: FileContent;
}

export function FileView({ place, gitRef, file }: FileViewProps) {
  const { path } = file;
  const commit = useLastCommit(place, gitRef, path);
  const isLarge = file.encoding !== 'base64';
  return (
    <div className="card filecard">
      <LastCommit place={place} gitRef={gitRef} path={path} commit={commit} />
      {isImage({ filename: path }) ? (
        <>
          <FileHead place={place} gitRef={gitRef} file={file} />
          <div className="card__b fileimg">
            <SignedImage call={rawCall(place, gitRef, path)} alt={file.name} />
          </div>
        </>
      ) : isLarge ? (
        <LargeFile key={file.sha} place={place} gitRef={gitRef} file={file} />
      ) : (
        <SmallFile place={place} gitRef={gitRef} file={file} />
      )}
    </div>
  );
}

function SmallFile(props: FileViewProps) {
  const { content } = props.file;
  const text = useMemo(() => textOf(decodeBase64(content)), [content]);
  return <FileText {...props} text={text} />;
}

function LargeFile(props: FileViewProps) {
  const { place, gitRef, file } = props;
  const [isAsked, setAsked] = useState(false);
  const { data, error, refetch } = useBytes(place, gitRef, file.path, isAsked);
  const text = useMemo(() => (data === undefined ? undefined : textOf(data)), [data]);
  if (data !== undefined) return <FileText {...props} text={text} />;
  const size = formatBytes(file.size);
  const isTooLarge = file.size > MAX_SHOWN;
  return (
    <>
      <FileHead {...props} />
      {error !== null ? (
        <ReadProblem error={error} onRetry={() => void refetch()} isPlain />
      ) : isAsked ? (
        <div className="card__b">
          <Skeleton lines={8} />
        </div>
      ) : (
        <EmptyState
          isPlain
          icon="file"
          title={isTooLarge ? FILES_WORDS.tooLarge(size) : FILES_WORDS.large(size)}
          action={isTooLarge ? undefined : <Button onClick={() => setAsked(true)}>{FILES_WORDS.show}</Button>}
        />
      )}
    </>
  );
}

/** `text` is undefined for what is none. */
function FileText(props: FileViewProps & { text: string | undefined }) {
  const { place, gitRef, file, text } = props;
  const { path } = file;
  const search = useSearchState(blobHref(place, gitRef, path));
  const lines = useMemo(() => (text === undefined ? [] : linesOf(text)), [text]);
  const [isGoing, setGoing] = useState(false);
  const canRender = isMarkdown(path) && file.encoding === 'base64';
  // A link to lines is one to the source.
  const isBlamed = search.get('view') === 'blame' && file.encoding === 'base64';
  const isRendered =
    canRender && !isBlamed && search.get('plain') === undefined && !location.hash.startsWith('#L');
  const hasLines = text !== undefined && text !== '' && !isRendered;
  const { owner, repo } = place;
  const blame = useCallback(
    (from: number, to: number) => (
      <BlameMargin owner={owner} repo={repo} gitRef={gitRef} path={path} from={from} to={to} />
    ),
    [owner, repo, gitRef, path],
  );
  const toggleBlame = () => search.set({ view: isBlamed ? undefined : 'blame' });
  useKeys({ l: () => setGoing(true) }, { isOn: hasLines });
  useKeys({ b: toggleBlame }, { isOn: file.encoding === 'base64' && text !== undefined && text !== '' });
  if (text === undefined)
    return (
      <>
        <FileHead {...props} />
        <EmptyState isPlain icon="file" title={FILES_WORDS.binary(formatBytes(file.size))} />
      </>
    );
  return (
    <>
      <FileHead {...props} lines={lines.length} text={text}>
        {canRender && (
          <Segmented
            label={FILES_WORDS.shown}
            size="sm"
            value={isRendered ? 'rendered' : 'source'}
            options={[
              { value: 'rendered', label: FILES_WORDS.rendered },
              { value: 'source', label: FILES_WORDS.source },
            ]}
            onChange={(view) => search.set({ plain: view === 'source' ? '1' : undefined })}
          />
        )}
        {text !== '' && file.encoding === 'base64' && (
          <Button size="sm" icon="users" keys="b" aria-pressed={isBlamed} onClick={toggleBlame}>
            {FILES_WORDS.blame}
          </Button>
        )}
        {hasLines && (
          <Button size="sm" tone="ghost" keys="l" onClick={() => setGoing(true)}>
            {FILES_WORDS.goToLine}
          </Button>
        )}
      </FileHead>
      {text === '' ? (
        <p className="card__b muted t13">{FILES_WORDS.emptyFile}</p>
      ) : isRendered ? (
        <div className="card__b">
          <Rendered place={place} gitRef={gitRef} path={path} />
        </div>
      ) : (
        <CodeView path={path} lines={lines} characters={text.length} margin={isBlamed ? blame : undefined} />
      )}
      {isGoing && <GoToLine last={lines.length} onClose={() => setGoing(false)} />}
    </>
  );
}

interface FileHeadProps extends FileViewProps {
  lines?: number | undefined;
  /** To be copied. */
  text?: string | undefined;
  children?: React.ReactNode;
}

function FileHead({ place, gitRef, file, lines, text, children }: FileHeadProps) {
  const raw = rawCall(place, gitRef, file.path);
  return (
    <div className="card__h filehead">
      <span className="muted t12 nw">
        {lines !== undefined && `${FILES_WORDS.lines(formatCount(lines), lines === 1)} · `}
        {formatBytes(file.size)}
      </span>
      {children}
      <span className="push" />
      {text !== undefined && <CopyButton text={text} label={FILES_WORDS.copyText} />}
      <Button size="sm" icon="external" onClick={() => void openInTab(raw)}>
        {FILES_WORDS.raw}
      </Button>
      <Button size="sm" icon="dl" label={FILES_WORDS.download} onClick={() => void download(raw)} />
    </div>
  );
}
