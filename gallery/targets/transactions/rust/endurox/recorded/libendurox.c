// The functions of Enduro/X that the gateway and its servers call, replaying the answers in $NDRX_HOME/answers.txt.
//
// Each line of that file was recorded from a real domain by record.py:
//   SERVICE TYPE CONTENT CALL_ERROR REPLY_ERROR TYPE CONTENT
// TYPE is STRING, CARRAY, UBF, NULL or CONVERSATION. CONTENT is bytes as hexadecimal digits: - for none, 78*20; for 20
// equal ones. A fielded buffer is "UBF!", its size, and for each value: field, length, bytes padded to 8. A request
// without a recorded answer fails, and is appended to $NDRX_HOME/unrecorded.txt.

#define _GNU_SOURCE
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { TPEBLOCK = 3, TPESVCERR = 10, TPEEVENT = 22, TPEV_SVCFAIL = 4, TPEV_SVCSUCC = 8, BALIGNERR = 1 };
enum { TEXT = 5, CARRAY = 6, NESTED = 10, FIELD_BITS = 25 };

typedef struct { char type[16]; long size; long unused; } Head;
typedef struct { uint32_t magic, used; } Fielded;
typedef struct { uint32_t field, length; } Value;
typedef struct Reply { struct Reply *next; int descriptor, error; char *data; long length; } Reply;

static const uint32_t MAGIC = 0x21464255;
static __thread int tperror, uberror, replies = -1, last_descriptor;
static __thread Reply *first;
static __thread size_t position;

static size_t padded(size_t length) { return (length + 7) & ~(size_t)7; }
static Head *head(char *data) { return (Head *)data - 1; }

int *_exget_tperrno_addr(void) { return &tperror; }
int *_Bget_Ferror_addr(void) { return &uberror; }
const char *tpstrerror(int error) {
  static __thread char text[32];
  snprintf(text, sizeof text, "error %d", error);
  return text;
}
const char *Bstrerror(int error) { return tpstrerror(error); }

char *tpalloc(const char *type, const char *subtype, long size) {
  (void)subtype;
  size = size < 64 ? 64 : size;
  Head *made = calloc(1, sizeof(Head) + (size_t)size);
  strncpy(made->type, type, sizeof made->type - 1);
  made->size = size;
  char *data = (char *)(made + 1);
  if (!strcmp(type, "UBF")) *(Fielded *)data = (Fielded){MAGIC, sizeof(Fielded)};
  return data;
}

void tpfree(char *data) { free(head(data)); }

long tptypes(const char *data, char *type, char *subtype) {
  strcpy(type, head((char *)data)->type);
  subtype[0] = 0;
  return head((char *)data)->size;
}

long Bused(char *data) { return ((Fielded *)data)->used; }

static uint32_t length_of(int field, const char *value, int length) {
  static const uint32_t fixed[] = {2, 8, 1, 4, 8};
  int type = field >> FIELD_BITS;
  if (type == TEXT) return (uint32_t)strlen(value) + 1;
  if (type == NESTED) return ((const Fielded *)value)->used;
  return type == CARRAY ? (uint32_t)length : fixed[type];
}

// Values are in the order of their fields, as Enduro/X keeps them.
int Badd(char *data, int field, const char *value, int length) {
  Fielded *buffer = (Fielded *)data;
  Value added = {(uint32_t)field, length_of(field, value, length)};
  size_t at = sizeof(Fielded), room = sizeof added + padded(added.length);
  while (at < buffer->used && ((Value *)(data + at))->field <= added.field)
    at += sizeof(Value) + padded(((Value *)(data + at))->length);
  if ((long)(buffer->used + room) > head(data)->size) return uberror = BALIGNERR, -1;
  memmove(data + at + room, data + at, buffer->used - at);
  memset(data + at, 0, room);
  memcpy(data + at, &added, sizeof added);
  memcpy(data + at + sizeof added, value, added.length);
  buffer->used += (uint32_t)room;
  return 0;
}

int Bnext(char *data, int *field, int *occurrence, char *to, int *length) {
  if (*field == 0) position = sizeof(Fielded);
  if (position >= ((Fielded *)data)->used) return 0;
  Value *value = (Value *)(data + position);
  position += sizeof(Value) + padded(value->length);
  *occurrence = *field == (int)value->field ? *occurrence + 1 : 0;
  *field = (int)value->field;
  memcpy(to, value + 1, value->length);
  *length = (int)value->length;
  return 1;
}

static char *hex(const char *bytes, long length) {
  char *text = malloc((size_t)length * 2 + 2), *to = text + sprintf(text, length ? "" : "-");
  for (long index = 0, run; index < length; index += run) {
    for (run = 1; index + run < length && bytes[index + run] == bytes[index]; run++) continue;
    run = run < 16 ? 1 : run;
    to += sprintf(to, run > 1 ? "%02x*%ld;" : "%02x", (unsigned char)bytes[index], run);
  }
  return text;
}

static char *typed(const char *type, const char *text, long *length) {
  if (!strcmp(type, "NULL")) return NULL;
  char *bytes = NULL, *next;
  *length = 0;
  for (unsigned byte; sscanf(text, "%2x", &byte) == 1;) {
    text += 2;
    long run = 1;
    if (*text == '*') run = strtol(text + 1, &next, 10), text = next + 1;
    bytes = realloc(bytes, (size_t)(*length + run));
    memset(bytes + *length, (int)byte, (size_t)run);
    *length += run;
  }
  char *data = tpalloc(type, NULL, *length + 1);
  memcpy(data, bytes ? bytes : "", (size_t)*length);
  free(bytes);
  return data;
}

static FILE *file(const char *name, const char *mode) {
  char path[4096];
  snprintf(path, sizeof path, "%s/%s", getenv("NDRX_HOME"), name);
  return fopen(path, mode);
}

// The descriptor of the replies is one to wait for, and bears the name of Enduro/X's queue.
int tpinit(void *options) {
  (void)options;
  char folder[] = "/tmp/recorded-XXXXXX", path[64];
  if (replies >= 0 || !mkdtemp(folder)) return replies < 0 ? -1 : 0;
  snprintf(path, sizeof path, "%s/,clt,reply,", folder);
  if (mkfifo(path, 0600) < 0) return -1;
  replies = open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC);
  unlink(path);
  rmdir(folder);
  return replies < 0 ? -1 : 0;
}

int tpterm(void) {
  close(replies);
  replies = -1;
  return 0;
}

// The recorded answer; null with the error of the call.
static Reply *answer_to(const char *service, const char *type, const char *bytes, long length) {
  char *content = hex(bytes, length), *line = NULL, *place;
  size_t room = 0;
  Reply *reply = NULL;
  FILE *answers = file("answers.txt", "r");
  tperror = TPESVCERR;
  while (answers && tperror == TPESVCERR && !reply && getline(&line, &room, answers) > 0) {
    if (strcmp(strtok_r(line, " \n", &place), service)) continue;
    if (strcmp(strtok_r(NULL, " \n", &place), type) || strcmp(strtok_r(NULL, " \n", &place), content)) continue;
    tperror = atoi(strtok_r(NULL, " \n", &place));
    if (tperror) break;
    reply = calloc(1, sizeof *reply);
    reply->error = atoi(strtok_r(NULL, " \n", &place));
    const char *reply_type = strtok_r(NULL, " \n", &place);
    reply->data = typed(reply_type, strtok_r(NULL, " \n", &place), &reply->length);
  }
  if (answers) fclose(answers);
  FILE *unrecorded = tperror == TPESVCERR ? file("unrecorded.txt", "a") : NULL;
  if (unrecorded) {
    fprintf(unrecorded, "%s %s %s\n", service, type, content);
    fclose(unrecorded);
  }
  free(content);
  free(line);
  return reply;
}

int tpacall(const char *service, char *data, long length, long flags) {
  (void)flags;
  const char *type = data ? head(data)->type : "NULL";
  length = !data ? 0 : !strcmp(type, "UBF") ? Bused(data) : !strcmp(type, "STRING") ? (long)strlen(data) + 1 : length;
  Reply *reply = answer_to(service, type, data, length), **last = &first;
  if (!reply) return -1;
  reply->descriptor = ++last_descriptor;
  while (*last) last = &(*last)->next;
  *last = reply;
  return write(replies, "", 1) == 1 ? last_descriptor : -1;
}

int tpgetrply(int *descriptor, char **data, long *length, long flags) {
  (void)flags;
  char byte;
  if (!first) return tperror = TPEBLOCK, -1;
  if (read(replies, &byte, 1) < 0) return tperror = TPEBLOCK, -1;
  Reply *reply = first;
  first = reply->next;
  if (*data) tpfree(*data);
  *descriptor = reply->descriptor;
  *data = reply->data;
  *length = reply->length;
  tperror = reply->error;
  free(reply);
  return tperror ? -1 : 0;
}

int tpsblktime(int seconds, long flags) { return (void)seconds, (void)flags, 0; }

// A conversation sends bytes in parts, and gets the recorded ones in one part with the event that ends it.
static __thread char conversed[32], *said;
static __thread long said_length;

int tpconnect(const char *service, char *data, long length, long flags) {
  (void)data, (void)length, (void)flags;
  snprintf(conversed, sizeof conversed, "%s", service);
  return said_length = 0, 1;
}
int tpsend(int connection, char *data, long length, long flags, long *event) {
  (void)connection, (void)flags, (void)event;
  said = realloc(said, (size_t)(said_length + length));
  memcpy(said + said_length, data, (size_t)length);
  return said_length += length, 0;
}
int tprecv(int connection, char **data, long *length, long flags, long *event) {
  (void)connection, (void)flags;
  Reply *reply = answer_to(conversed, "CONVERSATION", said, said_length);
  if (!reply) return -1;
  tpfree(*data);
  *data = reply->data;
  *length = reply->length;
  *event = reply->error ? TPEV_SVCFAIL : TPEV_SVCSUCC;
  free(reply);
  return tperror = TPEEVENT, -1;
}
int tpdiscon(int connection) { return (void)connection, 0; }

// A server offers its services and waits for its end: the answers to its callers are recorded.
static int (*before_poll)(void), (*polled)(int, uint32_t, void *), has_ended;
static struct pollfd waited;

int tpadvertise_full(const char *service, void (*function)(void *), const char *name) {
  return (void)service, (void)function, (void)name, 0;
}
void tpreturn(int status, long code, char *data, long length, long flags) {
  (void)status, (void)code, (void)data, (void)length, (void)flags;
}
int tpext_addb4pollcb(int (*function)(void)) { return before_poll = function, 0; }
int tpext_delb4pollcb(void) { return before_poll = NULL, 0; }
int tpext_addpollerfd(int descriptor, uint32_t events, void *data, int (*function)(int, uint32_t, void *)) {
  (void)data;
  waited = (struct pollfd){descriptor, (short)events, 0};
  return polled = function, 0;
}
void tpexit(void) { has_ended = 1; }

int ndrx_main_integra(int count, char **arguments, int (*begin)(int, char **), void (*done)(void), long flags) {
  (void)flags;
  if (begin(count, arguments) < 0 || (before_poll && before_poll() < 0)) return -1;
  while (!has_ended)
    if (poll(&waited, 1, -1) > 0) polled(waited.fd, (uint32_t)waited.revents, NULL);
  if (done) done();
  return 0;
}
