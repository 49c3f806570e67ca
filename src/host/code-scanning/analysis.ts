// An analysis as rules know it: one run of an upload.

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
  isNewest: boolean;
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
