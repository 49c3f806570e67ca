// An upload and its analyses as rules know them: one analysis for each run of the document.

export interface Analysis {
  number: number;
  repositoryNumber: number;
  setNumber: number;
  uploadId: string;
  runIndex: number;
  ref: string;
  commitSha: string;
  toolName: string;
  toolVersion: string | null;
  toolGuid: string | null;
  category: string;
  resultsCount: number;
  rulesCount: number;
  warning: string;
  createdAt: number;
  /** The newest of its set, once its upload has ended. */
  isDeletable: boolean;
}

/** One whose results are written, while it opens and closes alerts. */
export interface ApplyingAnalysis extends Pick<
  Analysis,
  | 'number'
  | 'repositoryNumber'
  | 'setNumber'
  | 'ref'
  | 'toolName'
  | 'toolVersion'
  | 'toolGuid'
  | 'resultsCount'
  | 'createdAt'
> {
  /** The position of the first result that is not. */
  applied: number;
  eventsLeft: number;
}

/** One that nobody sees any more, while what was before is restored. */
export interface DeletingAnalysis extends Pick<
  Analysis,
  'number' | 'repositoryNumber' | 'setNumber' | 'ref'
> {
  /** The position of the first result of the newest analysis whose alert is not. */
  restored: number;
}

export interface SarifUpload {
  number: number;
  id: string;
  repositoryNumber: number;
  ref: string;
  commitSha: string;
  checkoutUri: string | null;
  status: 'pending' | 'complete' | 'failed';
  errors: string[] | null;
  createdAt: number;
}

export const SARIF_BLOBS = 'host-sarif/';

/** As it was uploaded, until it is processed. */
export function uploadKey(id: string): string {
  return `${SARIF_BLOBS}${id}`;
}

/** What is kept of a run. */
export function documentKey(id: string, run: number): string {
  return `${SARIF_BLOBS}${id}/${run}`;
}
