// The files of a difference: a list of them at the side, and each below the other. Hundreds are no burden, for only those near the
// window are drawn.
import { memo, useDeferredValue } from 'react';
import { formatCount } from '../../ui/format.ts';
import { Icon } from '../../ui/icon.tsx';
import { Segmented } from '../../ui/segmented.tsx';
import type { DiffContext, DiffFile, DiffMode } from './diff-file.ts';
import { Counts, DiffFileCard } from './diff-file-card.tsx';
import { DIFF_WORDS } from './diff-words.ts';
import '../../styles/diff.css';

export interface DiffFilesProps {
  files: readonly DiffFile[];
  /** There are more than these. */
  hasMore?: boolean | undefined;
  additions: number;
  deletions: number;
  context: DiffContext;
  onMode: (mode: DiffMode) => void;
}

/** They are on the screen before the others are drawn, which takes a while for hundreds. */
const FIRST_FILES = 8;

export function DiffFiles({ files, hasMore = false, additions, deletions, context, onMode }: DiffFilesProps) {
  const drawn = useDeferredValue(files, files.slice(0, FIRST_FILES));
  const count = formatCount(files.length) + (hasMore ? '+' : '');
  return (
    <div className="stack stack--16">
      <div className="row row--wrap">
        <h2 className="diffs__h">{DIFF_WORDS.files(count, count === '1')}</h2>
        <Counts file={{ additions, deletions }} />
        {context.viewed !== undefined && (
          <span className="muted t12 nw" role="status">
            {DIFF_WORDS.viewedOf(formatCount(files.filter(context.viewed.has).length), count)}
          </span>
        )}
        <span className="push" />
        <Segmented
          label={DIFF_WORDS.view}
          size="sm"
          value={context.mode}
          options={[
            { value: 'unified', label: DIFF_WORDS.unified },
            { value: 'split', label: DIFF_WORDS.split },
          ]}
          onChange={onMode}
        />
      </div>
      {files.length === 0 ? (
        <p className="muted t13">{DIFF_WORDS.none}</p>
      ) : (
        <div className={files.length > 1 ? 'cols cols--files' : undefined}>
          {files.length > 1 && <FileList files={drawn} viewed={context.viewed} />}
          <div className="stack stack--16">
            {drawn.map((file) => (
              <DiffFileCard key={file.filename} id={idOf(file)} file={file} context={context} />
            ))}
          </div>
        </div>
      )}
    </div>
  );
}

function idOf({ filename }: DiffFile): string {
  return `diff-${encodeURIComponent(filename)}`;
}

type FileListProps = Pick<DiffFilesProps, 'files'> & Pick<DiffContext, 'viewed'>;

const FileList = memo(function FileList({ files, viewed }: FileListProps) {
  return (
    <nav className="card ftree" aria-label={DIFF_WORDS.fileList}>
      <ul>
        {files.map((file) => (
          <li key={file.filename}>
            <button type="button" className="ftree__f" onClick={() => goTo(idOf(file))}>
              {viewed?.has(file) === true ? (
                <>
                  <Icon name="ok" className="ok" />
                  <span className="vh">{DIFF_WORDS.viewed}: </span>
                </>
              ) : (
                <Icon name="file" className="muted" />
              )}
              <span className="cut grow" title={file.filename}>
                {file.filename}
              </span>
              <Counts file={file} />
            </button>
          </li>
        ))}
      </ul>
    </nav>
  );
});

/** What stands above is drawn meanwhile and may be longer than it was thought to be. */
function goTo(id: string): void {
  const card = document.getElementById(id);
  card?.scrollIntoView({ block: 'start' });
  requestAnimationFrame(() => card?.scrollIntoView({ block: 'start' }));
  card?.focus({ preventScroll: true });
}
