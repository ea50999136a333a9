PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE events (
        game TEXT NOT NULL, seq BIGINT NOT NULL, kind TEXT NOT NULL, payload TEXT NOT NULL,
        seat SMALLINT, command TEXT, at BIGINT NOT NULL,
        PRIMARY KEY (game, seq), UNIQUE (game, seat, command));
INSERT INTO events VALUES('EYrI0ORb',1,'created','{"game":"gekitai","options":{},"start":"6/6/6/6/6/6 1","turns":[],"seats":[{"kind":"person","name":"Ann"},{"kind":"open","name":null}],"shared":false,"clock":{"kind":"time","seconds":300,"increment":3}}',NULL,NULL,1794746555959);
INSERT INTO events VALUES('EYrI0ORb',2,'joined','{"name":"Bob"}',2,'j',1794746555962);
INSERT INTO events VALUES('EYrI0ORb',3,'move','{"turn":"c4"}',1,'a1',1794746555964);
INSERT INTO events VALUES('EYrI0ORb',4,'move','{"turn":"d3"}',2,'b1',1794746555968);
INSERT INTO events VALUES('OJ3fzzW8',1,'created','{"game":"glaisher","options":{},"start":"1,r6,3/5,y6/7/y6,7/9/7,r6/7/r6,5/3,y6,1 1","turns":[],"seats":[{"kind":"person","name":"Ann"},{"kind":"person","name":"Bob"}],"shared":false,"clock":{"kind":"days","days":2}}',NULL,NULL,1794746555972);
INSERT INTO events VALUES('OJ3fzzW8',2,'move','{"turn":"f9-w:15@a5"}',1,'x',1794746556085);
INSERT INTO events VALUES('caBd2r6N',1,'created','{"game":"jeson-mor","options":{"size":5},"start":"nnnnn/5/5/5/NNNNN 1","turns":[],"seats":[{"kind":"person","name":"Ann"},{"kind":"person","name":"Bob"}],"shared":false,"clock":{"kind":"none"}}',NULL,NULL,1794746556089);
INSERT INTO events VALUES('caBd2r6N',2,'move','{"turn":"c1-d3"}',1,'1',1794746556091);
INSERT INTO events VALUES('caBd2r6N',3,'move','{"turn":"c5-b3"}',2,'1',1794746556092);
INSERT INTO events VALUES('caBd2r6N',4,'offer','{"offer":"undo"}',1,'u',1794746556093);
INSERT INTO events VALUES('caBd2r6N',5,'undone','{"turns":0}',2,'u',1794746556094);
INSERT INTO events VALUES('caBd2r6N',6,'result','{"winner":1,"reason":"resigned"}',2,NULL,1794746556095);
INSERT INTO events VALUES('caBd2r6N',7,'rematch','{}',1,NULL,1794746556096);
INSERT INTO events VALUES('NYGbI9bO',1,'created','{"game":"jeson-mor","options":{"size":5},"start":"nnnnn/5/5/5/NNNNN 1","turns":[],"seats":[{"kind":"person","name":"Bob"},{"kind":"person","name":"Ann"}],"shared":false,"clock":{"kind":"none"}}',NULL,NULL,1794746556098);
INSERT INTO events VALUES('caBd2r6N',8,'rematch','{"id":"NYGbI9bO"}',2,NULL,1794746556098);
INSERT INTO events VALUES('ofw1bupW',1,'created','{"game":"six-making","options":{"size":4},"start":"4/4/4/4 1","turns":[],"seats":[{"kind":"person","name":null},{"kind":"person","name":null}],"shared":true,"clock":{"kind":"none"}}',NULL,NULL,1794746556100);
INSERT INTO events VALUES('ofw1bupW',2,'move','{"turn":"a1"}',1,NULL,1794746556103);
INSERT INTO events VALUES('ofw1bupW',3,'result','{"winner":"draw","reason":"agreed"}',2,NULL,1794746556104);
INSERT INTO events VALUES('ynAkHmrl',1,'created','{"game":"gekitai","options":{},"start":"6/6/6/6/6/6 1","turns":[],"seats":[{"kind":"person","name":"Ann"},{"kind":"level","level":1,"name":null}],"shared":false,"clock":{"kind":"none"}}',NULL,NULL,1794746556106);
INSERT INTO events VALUES('ynAkHmrl',2,'move','{"turn":"c4"}',1,NULL,1794746556108);
INSERT INTO events VALUES('ynAkHmrl',3,'move','{"turn":"f1"}',2,NULL,1794746556112);
INSERT INTO events VALUES('EYrI0ORb',5,'paused','{"from":1794746558957,"to":1794746562119}',NULL,NULL,1794746562119);
INSERT INTO events VALUES('OJ3fzzW8',3,'paused','{"from":1794746558957,"to":1794746562119}',NULL,NULL,1794746562119);
INSERT INTO events VALUES('EYrI0ORb',6,'move','{"turn":"e5"}',1,'a2',1794746562125);
CREATE TABLE tokens (
        game TEXT NOT NULL, seat SMALLINT NOT NULL, hash TEXT NOT NULL, PRIMARY KEY (game, seat));
INSERT INTO tokens VALUES('EYrI0ORb',1,'11be6769da06c9aaf0ecad3bc08e46acc71a576f4960a0b9e20808d48a0cf45c');
INSERT INTO tokens VALUES('EYrI0ORb',2,'26be80886579cdfcbbb62cad1e0d1df2d700ffe62fd0e144099c45b7dc2129d4');
INSERT INTO tokens VALUES('OJ3fzzW8',1,'faf7a20ff478ccea22d98c23531bc5d0469afde92593c16e06ff73a45f97a957');
INSERT INTO tokens VALUES('OJ3fzzW8',2,'d6a9bc14ba5d5a7824a5dd5e9d8b10c7c19c395069ea3876afe352cc4dfbfe02');
INSERT INTO tokens VALUES('caBd2r6N',1,'454ee4935d47cc8c17cb423e77f2814e6dda10bbd5e3b5fc6e023b5047204b6f');
INSERT INTO tokens VALUES('caBd2r6N',2,'1a3c31f49f237c3834fb5a52f97e1d2bc70e770043ba4b37173358db1d74c528');
INSERT INTO tokens VALUES('NYGbI9bO',1,'1a3c31f49f237c3834fb5a52f97e1d2bc70e770043ba4b37173358db1d74c528');
INSERT INTO tokens VALUES('NYGbI9bO',2,'454ee4935d47cc8c17cb423e77f2814e6dda10bbd5e3b5fc6e023b5047204b6f');
INSERT INTO tokens VALUES('ofw1bupW',1,'58483d522612251c3a58c6e33efc33e5a5063303cd303df9a081f67858149295');
INSERT INTO tokens VALUES('ofw1bupW',2,'58483d522612251c3a58c6e33efc33e5a5063303cd303df9a081f67858149295');
INSERT INTO tokens VALUES('ynAkHmrl',1,'7a93240fb0c06b10f87a0ded03453973bc80aefab91eaa29c075a456cdd20e64');
CREATE TABLE running (game TEXT NOT NULL PRIMARY KEY);
INSERT INTO running VALUES('EYrI0ORb');
INSERT INTO running VALUES('OJ3fzzW8');
CREATE TABLE heartbeat (id SMALLINT NOT NULL PRIMARY KEY, at BIGINT NOT NULL);
INSERT INTO heartbeat VALUES(1,1794746563125);
COMMIT;
