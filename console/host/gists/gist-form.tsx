// The form of a gist: what it is about, who can find it, and its files.
import { useState } from 'react';
import type { ApiError } from '../../api/error.ts';
import { Button } from '../../ui/button.tsx';
import { Card } from '../../ui/card.tsx';
import { ChangeError } from '../../ui/change-error.tsx';
import { RadioCards } from '../../ui/choice.tsx';
import { Field } from '../../ui/field.tsx';
import { formatCount } from '../../ui/format.ts';
import { TextArea, TextInput } from '../../ui/input.tsx';
import {
  isValid,
  MAX_DESCRIPTION,
  MAX_FILES,
  problemsOf,
  type DraftFile,
  type FileProblems,
  type GistDraft,
} from './gist-draft.ts';
import { GIST_FORM } from './gists-words.ts';
import '../../styles/gists.css';

const ROWS = { least: 8, most: 30 };

export interface GistFormProps {
  draft: GistDraft;
  onChange: (patch: Partial<GistDraft>) => void;
  /** It cannot be changed afterwards. */
  hasVisibility: boolean;
  action: string;
  disabledReason?: string | undefined;
  isBusy: boolean;
  error: ApiError | null;
  onSubmit: () => void;
  onCancel: () => void;
}

export function GistForm(props: GistFormProps) {
  const { draft, onChange, hasVisibility, action, disabledReason, isBusy, error, onSubmit, onCancel } = props;
  const [isTried, setTried] = useState(false);
  const { files } = draft;
  const changeFile = (id: number, patch: Partial<DraftFile>) =>
    onChange({ files: files.map((file) => (file.id === id ? { ...file, ...patch } : file)) });
  const add = () =>
    onChange({
      files: [...files, { id: Math.max(-1, ...files.map(({ id }) => id)) + 1, name: '', content: '' }],
    });
  const submit = () => {
    setTried(true);
    if (isValid(draft) && disabledReason === undefined) onSubmit();
  };
  return (
    <form
      className="stack stack--16 gist-form"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <ChangeError error={error} />
      <Field label={GIST_FORM.description} optional>
        <TextInput
          maxLength={MAX_DESCRIPTION}
          value={draft.description}
          onValue={(description) => onChange({ description })}
        />
      </Field>
      {hasVisibility && (
        <RadioCards
          label={GIST_FORM.visibility}
          value={draft.isPublic ? 'public' : 'secret'}
          options={[
            { value: 'secret', label: GIST_FORM.secret, text: GIST_FORM.secretText },
            { value: 'public', label: GIST_FORM.public, text: GIST_FORM.publicText },
          ]}
          onChange={(value) => onChange({ isPublic: value === 'public' })}
        />
      )}
      {files.map((file, index) => (
        <FileFields
          key={file.id}
          file={file}
          position={index + 1}
          problems={isTried ? problemsOf(file, draft) : {}}
          onChange={(patch) => changeFile(file.id, patch)}
          onRemove={
            files.length === 1
              ? undefined
              : () => onChange({ files: files.filter(({ id }) => id !== file.id) })
          }
          onSubmit={submit}
        />
      ))}
      <div className="row row--wrap">
        <Button
          icon="plus"
          disabledReason={files.length >= MAX_FILES ? GIST_FORM.tooMany(formatCount(MAX_FILES)) : undefined}
          onClick={add}
        >
          {GIST_FORM.addFile}
        </Button>
        <span className="push" />
        <Button onClick={onCancel}>{GIST_FORM.cancel}</Button>
        <Button type="submit" tone="primary" isBusy={isBusy} disabledReason={disabledReason}>
          {action}
        </Button>
      </div>
    </form>
  );
}

interface FileFieldsProps {
  file: DraftFile;
  position: number;
  problems: FileProblems;
  onChange: (patch: Partial<DraftFile>) => void;
  /** Undefined for the only one. */
  onRemove: (() => void) | undefined;
  onSubmit: () => void;
}

function FileFields({ file, position, problems, onChange, onRemove, onSubmit }: FileFieldsProps) {
  const { name, content } = file;
  const title = GIST_FORM.file(formatCount(position));
  return (
    <Card
      title={title}
      label={title}
      actions={
        <Button
          size="sm"
          tone="ghost"
          icon="trash"
          label={name === '' ? GIST_FORM.removeThis : GIST_FORM.removeFile(name)}
          disabledReason={onRemove === undefined ? GIST_FORM.lastFile : undefined}
          onClick={onRemove}
        />
      }
    >
      <div className="stack stack--16">
        <Field label={GIST_FORM.fileName} help={GIST_FORM.fileNameHelp} error={problems.name}>
          <TextInput
            isMono
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={name}
            onValue={(next) => onChange({ name: next })}
          />
        </Field>
        {content === undefined ? (
          <p className="muted t13">{GIST_FORM.keptFile}</p>
        ) : (
          <Field label={GIST_FORM.content} error={problems.content}>
            <TextArea
              isMono
              spellCheck={false}
              rows={Math.min(ROWS.most, Math.max(ROWS.least, content.split('\n').length + 1))}
              value={content}
              onValue={(next) => onChange({ content: next })}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return;
                event.preventDefault();
                onSubmit();
              }}
            />
          </Field>
        )}
      </div>
    </Card>
  );
}
