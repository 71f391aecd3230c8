import type { ErrorCode } from '../model/error-codes.js';

/** Why a byte range is not a document: a code and the offset of the byte at which it shows. */
export class ScanFailure extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly offset: number,
    readonly reason: string,
  ) {
    super(reason);
  }
}
