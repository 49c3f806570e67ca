// A gist while it is written: what is wrong with it, and the call that saves it.
import type { Call } from '../../api/call.ts';
import { filesOf, wholeTextOf, type Gist } from './gist.ts';
import { gistCall } from './gists-queries.ts';
import { GIST_FORM } from './gists-words.ts';

/** As the API has them. */
export const MAX_FILES = 300;
export const MAX_DESCRIPTION = 1000;
const MAX_NAME_BYTES = 255;

export interface DraftFile {
  /** For the list that is drawn. */
  id: number;
  /** The name that it has on the server; undefined for a new one. */
  original?: string;
  name: string;
  /** Undefined where it is no text, or too long: it stays as it is. */
  content?: string;
}

export interface GistDraft {
  description: string;
  isPublic: boolean;
  files: DraftFile[];
}

export const NEW_GIST: GistDraft = {
  description: '',
  isPublic: false,
  files: [{ id: 0, name: '', content: '' }],
};

export function draftOf(gist: Gist): GistDraft {
  return {
    description: gist.description ?? '',
    isPublic: gist.public,
    files: filesOf(gist).map((file, id) => {
      const content = wholeTextOf(file);
      return {
        id,
        original: file.filename,
        name: file.filename,
        ...(content !== undefined && { content }),
      };
    }),
  };
}

export interface FileProblems {
  name?: string;
  content?: string;
}

export function problemsOf({ name, content }: DraftFile, { files }: GistDraft): FileProblems {
  const nameProblem =
    name === ''
      ? GIST_FORM.needsName
      : !isFileName(name)
        ? GIST_FORM.badName
        : files.filter((other) => other.name === name).length > 1
          ? GIST_FORM.sameName
          : undefined;
  return {
    ...(nameProblem !== undefined && { name: nameProblem }),
    ...(content?.trim() === '' && { content: GIST_FORM.needsContent }),
  };
}

function isFileName(name: string): boolean {
  if (['.', '..', '.git'].includes(name.toLowerCase()) || name.includes('/')) return false;
  return new TextEncoder().encode(name).length <= MAX_NAME_BYTES;
}

export function isValid(draft: GistDraft): boolean {
  return draft.files.every((file) => Object.keys(problemsOf(file, draft)).length === 0);
}

export function createCall({ description, isPublic, files }: GistDraft): Call {
  return {
    api: 'host',
    method: 'POST',
    path: '/gists',
    body: {
      ...(description.trim() !== '' && { description: description.trim() }),
      public: isPublic,
      files: Object.fromEntries(files.map(({ name, content = '' }) => [name, { content }])),
    },
  };
}

/** Only what differs from the gist as it was when the form was opened. Undefined where nothing does. */
export function changeCall(gist: Gist, draft: GistDraft): Call | undefined {
  const files: Record<string, { content?: string; filename?: string } | null> = {};
  const kept = new Set(draft.files.map(({ original }) => original));
  for (const { filename } of filesOf(gist)) if (!kept.has(filename)) files[filename] = null;
  for (const { original, name, content } of draft.files) {
    const before = original === undefined ? undefined : gist.files[original];
    const isRenamed = original !== undefined && name !== original;
    const isChanged = content !== undefined && content !== before?.content;
    if (!isRenamed && !isChanged) continue;
    files[original ?? name] = {
      ...(isChanged && { content }),
      ...(isRenamed && { filename: name }),
    };
  }
  const description = draft.description.trim();
  const body = {
    ...(description !== (gist.description ?? '') && { description }),
    ...(Object.keys(files).length > 0 && { files }),
  };
  return Object.keys(body).length === 0 ? undefined : { ...gistCall(gist.id), method: 'PATCH', body };
}
