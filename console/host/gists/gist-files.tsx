// The files of a gist: text with colours, Markdown as the server renders it, images as images.
import { useMemo, useState } from 'react';
import { useInView } from '../../lib/in-view.ts';
import { SafeHtml } from '../../lib/safe-html.tsx';
import { SignedImage } from '../../lib/signed-image.tsx';
import { download, openInTab } from '../../lib/signed-link.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { formatBytes } from '../../ui/format.ts';
import { Segmented } from '../../ui/segmented.tsx';
import { EmptyState, Skeleton } from '../../ui/states.tsx';
import { isImage } from '../diff/diff-file.ts';
import { CodeView } from '../files/code-view.tsx';
import { isMarkdown, linesOf } from '../files/content.ts';
import { useRenderedText } from '../files/files-queries.ts';
import { FILES_WORDS } from '../files/files-words.ts';
import { filesOf, wholeTextOf, type Gist, type GistFile } from './gist.ts';
import { rawFileCall } from './gists-queries.ts';
import { GIST } from './gists-words.ts';

/** The server renders no more than 400 KiB. */
const MAX_RENDERED = 100_000;

export function GistFiles({ gist }: { gist: Gist }) {
  const files = filesOf(gist);
  return (
    <>
      {gist.truncated && <Banner tone="warn">{GIST.truncated}</Banner>}
      {files.map((file) => (
        <FileCard key={file.filename} id={gist.id} file={file} isOnly={files.length === 1} />
      ))}
    </>
  );
}

interface FileCardProps {
  id: string;
  file: GistFile;
  /** Its lines can be named by the address. */
  isOnly: boolean;
}

function FileCard({ id, file, isOnly }: FileCardProps) {
  const { filename, size } = file;
  const { ref, isSeen } = useInView<HTMLElement>();
  const text = file.encoding === 'base64' ? undefined : file.content;
  const canRender = isMarkdown(filename) && (wholeTextOf(file)?.length ?? Infinity) <= MAX_RENDERED;
  // A link to lines is one to the source.
  const [isSource, setSource] = useState(() => isOnly && location.hash.startsWith('#L'));
  const isRendered = canRender && !isSource;
  return (
    <section ref={ref} className="card filecard" aria-label={filename}>
      <div className="card__h filehead">
        <h2 className="mono cut gist__f">{filename}</h2>
        <span className="muted t12 nw">{formatBytes(size)}</span>
        {canRender && (
          <Segmented
            label={GIST.shown(filename)}
            size="sm"
            value={isRendered ? 'rendered' : 'source'}
            options={[
              { value: 'rendered', label: GIST.rendered },
              { value: 'source', label: GIST.source },
            ]}
            onChange={(view) => setSource(view === 'source')}
          />
        )}
        <span className="push" />
        {text !== undefined && text !== '' && <CopyButton text={text} label={GIST.copyText(filename)} />}
        <RawButtons id={id} file={file} />
      </div>
      {file.truncated === true && text !== undefined && <p className="card__b muted t13">{GIST.cut}</p>}
      {!isSeen ? (
        <div className="gist__wait" />
      ) : text === undefined ? (
        <BinaryFile id={id} file={file} />
      ) : text === '' ? (
        <p className="card__b muted t13">{FILES_WORDS.emptyFile}</p>
      ) : isRendered ? (
        <RenderedFile name={filename} text={text} isOnly={isOnly} />
      ) : (
        <TextFile name={filename} text={text} isOnly={isOnly} />
      )}
    </section>
  );
}

function RawButtons({ id, file }: { id: string; file: GistFile }) {
  const raw = rawFileCall(id, file);
  if (raw === undefined) return null;
  return (
    <>
      <Button
        size="sm"
        icon="external"
        aria-label={GIST.rawOf(file.filename)}
        onClick={() => void openInTab(raw)}
      >
        {GIST.raw}
      </Button>
      <Button size="sm" icon="dl" label={GIST.download(file.filename)} onClick={() => void download(raw)} />
    </>
  );
}

function BinaryFile({ id, file }: { id: string; file: GistFile }) {
  const raw = rawFileCall(id, file);
  if (raw !== undefined && isImage(file))
    return (
      <div className="card__b fileimg">
        <SignedImage call={raw} alt={file.filename} />
      </div>
    );
  return <EmptyState isPlain icon="file" title={FILES_WORDS.binary(formatBytes(file.size))} />;
}

interface TextProps {
  name: string;
  text: string;
  isOnly: boolean;
}

function TextFile({ name, text, isOnly }: TextProps) {
  const lines = useMemo(() => linesOf(text), [text]);
  return <CodeView path={name} lines={lines} characters={text.length} areLinesLinked={isOnly} />;
}

function RenderedFile(props: TextProps) {
  const { data, error } = useRenderedText(props.text, true);
  if (data === undefined && error !== null)
    return (
      <>
        <p className="card__b muted t13">{GIST.noRendering}</p>
        <TextFile {...props} />
      </>
    );
  return (
    <div className="card__b">{data === undefined ? <Skeleton lines={5} /> : <SafeHtml html={data} />}</div>
  );
}
