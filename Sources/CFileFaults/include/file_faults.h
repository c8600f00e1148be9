/*
 * Counts the calls that a process makes on the files of one folder. At one of them it ends the process at once, before or
 * after the call has taken effect or in the middle of it, or has the call fail, or shortens or delays it. It can also log all
 * that changes these files, with the bytes, so that a power cut can be replayed. (FileFaultInjector of QuireTesting)
 *
 * The product QuireFileFaults, for LD_PRELOAD on Linux; elsewhere it is empty. It declares nothing: in the environment are
 *   QUIRE_FAULT_FOLDER   the folder, as an absolute path without symbolic links; without it nothing is done
 *   QUIRE_FAULT_AT       the number of the call, from 0
 *   QUIRE_FAULT_OF       which calls are counted, as words with commas between (FileCall); without it all are
 *   QUIRE_FAULT_EFFECT   before, after, half (ends the process); error, short (of reads and writes); delay; fork (leaves a copy
 *                        of the process, with its descriptors, for eight seconds, and has the call fail)
 *   QUIRE_FAULT_ERRNO    the number of the error
 *   QUIRE_FAULT_DELAY    microseconds
 *   QUIRE_FAULT_LASTING  if set, later calls are hit as well
 *   QUIRE_FAULT_CALLS    a file that gets the word of each call, counted or not
 *   QUIRE_FAULT_LOG      a file that gets what was changed (FileEvent)
 */
