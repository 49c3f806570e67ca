// The files of a version: one of them as text to edit; all are saved together, and built at once if one likes.
import { useState } from 'react';
import { useLocation } from 'wouter';
import { path, type Call } from '../../api/call.ts';
import { useChange } from '../../api/read.ts';
import { useSayDraft } from '../../app/draft-call.ts';
import { pointAt } from '../../lib/line-range.ts';
import { useSearchState } from '../../lib/search-state.ts';
import { Banner } from '../../ui/banner.tsx';
import { Button } from '../../ui/button.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextInput } from '../../ui/input.tsx';
import { toast } from '../../ui/toast-store.ts';
import { useStartBuild, type ActorDetail, type SourceFile } from './actor-queries.ts';
import { ACTOR_WORDS } from './actor-words.ts';
import { hrefOfBuild } from './builds-tab.tsx';
import { SourceText } from './source-text.tsx';

export interface SourceFilesProps {
  actor: ActorDetail;
  version: string;
  files: readonly SourceFile[];
  isOwner: boolean;
  onSaved: () => void;
}

function saveCall(actorId: string, version: string, files: readonly SourceFile[]): Call {
  return {
    api: 'actors',
    method: 'PUT',
    path: path`/actors/${actorId}/versions/${version}`,
    body: { sourceType: 'SOURCE_FILES', sourceFiles: files },
  };
}

export function SourceFiles({ actor, version, files: saved, isOwner, onSaved }: SourceFilesProps) {
  const [base] = useState(saved);
  const [files, setFiles] = useState(saved);
  const search = useSearchState('');
  const wanted = search.get('file');
  const shown = files.filter(({ folder }) => folder !== true);
  const file =
    shown.find(({ name }) => name === wanted) ?? shown.find(({ name }) => isMain(name)) ?? shown[0];
  const changed = changedNames(base, files);
  const save = useChange<void>(() => saveCall(actor.id, version, files), ['actor']);
  const build = useStartBuild(actor.id);
  const [, navigate] = useLocation();
  useSayDraft(changed.length > 0 ? saveCall(actor.id, version, files) : undefined);
  const saveIt = (isBuilt: boolean) =>
    save.mutate(undefined, {
      onSuccess: () => {
        if (isBuilt)
          return build.mutate(version, { onSuccess: ({ data }) => navigate(hrefOfBuild(actor, data.id)) });
        toast({ text: ACTOR_WORDS.saved, tone: 'ok' });
        return onSaved();
      },
    });
  const setContent = (name: string, content: string) =>
    setFiles((present) => present.map((one) => (one.name === name ? { ...one, content } : one)));
  const error = save.error ?? build.error;
  const reason = changed.length === 0 ? ACTOR_WORDS.unchanged : undefined;
  return (
    <>
      {error !== null && <Banner tone="bad">{error.message}</Banner>}
      <div className="source">
        <div className="stack">
          <nav className="source__files" aria-label={ACTOR_WORDS.files}>
            {shown.map(({ name }) => (
              <button
                key={name}
                type="button"
                aria-current={name === file?.name ? 'true' : undefined}
                onClick={() => {
                  pointAt(undefined);
                  search.set({ file: name });
                }}
              >
                {name}
                {changed.includes(name) && ' •'}
              </button>
            ))}
          </nav>
          {isOwner && (
            <AddFile
              names={files.map(({ name }) => name)}
              onAdd={(name) => {
                setFiles((present) => [...present, { name, format: 'TEXT', content: '' }]);
                search.set({ file: name });
              }}
            />
          )}
        </div>
        {file === undefined ? (
          <p className="muted">{ACTOR_WORDS.noFiles}</p>
        ) : (
          <FileText
            key={file.name}
            file={file}
            isOwner={isOwner}
            onContent={(content) => setContent(file.name, content)}
            onRemove={() => setFiles((present) => present.filter(({ name }) => name !== file.name))}
          />
        )}
      </div>
      {isOwner && (
        <div className="row row--wrap">
          <Button
            tone="primary"
            isBusy={save.isPending || build.isPending}
            disabledReason={reason}
            onClick={() => saveIt(true)}
          >
            {ACTOR_WORDS.saveAndBuild}
          </Button>
          <Button isBusy={save.isPending} disabledReason={reason} onClick={() => saveIt(false)}>
            {ACTOR_WORDS.save}
          </Button>
          {changed.length > 0 && (
            <>
              <Button tone="ghost" onClick={() => setFiles(base)}>
                {ACTOR_WORDS.discard}
              </Button>
              <span className="t13 muted">{ACTOR_WORDS.changedFiles(formatCount(changed.length))}</span>
            </>
          )}
        </div>
      )}
    </>
  );
}

function isMain(name: string): boolean {
  return /(?:^|\/)(?:main|index)\.\w+$/.test(name);
}

/** Also those that came or went. */
function changedNames(base: readonly SourceFile[], files: readonly SourceFile[]): string[] {
  const before = new Map(base.map(({ name, content }) => [name, content]));
  const after = new Map(files.map(({ name, content }) => [name, content]));
  return [...new Set([...before.keys(), ...after.keys()])].filter(
    (name) => before.get(name) !== after.get(name) || before.has(name) !== after.has(name),
  );
}

interface FileTextProps {
  file: SourceFile;
  isOwner: boolean;
  onContent: (content: string) => void;
  onRemove: () => void;
}

function FileText({ file, isOwner, onContent, onRemove }: FileTextProps) {
  const removal = isOwner && (
    <div>
      <Button size="sm" tone="ghost" icon="trash" onClick={onRemove}>
        {ACTOR_WORDS.removeFile}
      </Button>
    </div>
  );
  if (file.format === 'BASE64')
    return (
      <div className="stack">
        <p className="muted">{ACTOR_WORDS.notText}</p>
        {removal}
      </div>
    );
  return (
    <div className="stack">
      <SourceText
        path={file.name}
        label={ACTOR_WORDS.fileText(file.name)}
        isReadOnly={!isOwner}
        value={file.content ?? ''}
        onValue={onContent}
      />
      {removal}
    </div>
  );
}

function AddFile({ names, onAdd }: { names: readonly string[]; onAdd: (name: string) => void }) {
  const [name, setName] = useState('');
  const wanted = name.trim();
  return (
    <form
      className="row row--4"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted === '' || names.includes(wanted)) return;
        onAdd(wanted);
        setName('');
      }}
    >
      <TextInput
        isMono
        controlSize="sm"
        aria-label={ACTOR_WORDS.addFileName}
        placeholder={ACTOR_WORDS.addFileName}
        maxLength={1000}
        spellCheck={false}
        value={name}
        onValue={setName}
      />
      <Button size="sm" type="submit" icon="plus" label={ACTOR_WORDS.addFile} />
    </form>
  );
}
