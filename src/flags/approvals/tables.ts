// The tables of approval requests.

declare module '../../kernel/storage/tables.ts' {
  interface Tables {
    approval_requests: ApprovalRequestRow;
    approval_reviewers: ApprovalReviewerRow;
  }
}

export interface ApprovalRequestRow {
  id: string;
  project_id: string;
  flag_id: string;
  environment_id: string;
  requestor_id: string;
  status: string;
  review_status: string;
  version: number;
  created_at: number;
  /** Of the member or token that applies it, so that the boundary is kept. */
  boundary_id: string | null;
  /** The plan, as JSON. */
  plan: string;
  /** All other fields, as JSON. */
  doc: string;
}

/** A member who was asked for a review, for searches. The request itself has all of them, too. */
export interface ApprovalReviewerRow {
  request_id: string;
  member_id: string;
}
